import { beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset, type TableLocation } from "../../../src/index.ts";
import { readBatches, readIds, sorted } from "../../support/reading.ts";
import { throughJson } from "../../support/states.ts";
import { range } from "../../support/tables.ts";
import { RankProcesses } from "../support/ranks.ts";
import type { TestStore } from "../support/store.ts";

const stepRows = 64;
const rows = 24 * stepRows;
const run = { numSplits: 8, shuffleSeed: 7 };

/** A training of several processes over one table in an object store. */
export function describeProcesses(store: TestStore): void {
  describe("eight processes over one table in an object store", () => {
    let table: TableLocation;
    let single: number[][];

    beforeAll(async () => {
      table = await store.writeIds("processes", rows, { fragments: 4 });
      await using dataset = await StreamingDataset.open(table, run);
      single = await readBatches(dataset, stepRows);
    });

    /** Steps that all ranks have finished, and the states behind the last one; while step `killed` is under way, ranks 2 and 5 are killed. */
    async function train(
      worldSize: number,
      { state, killed }: { state?: StateDict; killed?: number } = {},
    ): Promise<{ steps: number[][]; states: StateDict[] }> {
      const options = { ...run, ...table, worldSize, stepRows, ...(state && { state }) };
      const { storageOptions, ...place } = options;
      const ranks = new RankProcesses(place, storageOptions ?? {});
      const steps: number[][] = [];
      let states: StateDict[] = [];
      try {
        for (;;) {
          const step = ranks.step();
          if (steps.length === killed) ranks.kill(2, 5);
          const parts = await step;
          if (parts === null) return { steps, states };
          steps.push(parts.flatMap((part) => part.ids));
          states = parts.map((part) => throughJson(part.state));
        }
      } finally {
        await ranks.stop();
      }
    }

    test("of which two are killed and that go on as four read every row once, step by step as one process does", async () => {
      const before = await train(8, { killed: 9 });
      // The step in which they were killed may have been finished by all.
      expect([9, 10]).toContain(before.steps.length);
      const state = StreamingDataset.mergeStateDicts(before.states);
      const after = await train(4, { state });
      const steps = [...before.steps, ...after.steps];
      expect(steps.map(sorted)).toEqual(single.map(sorted));
      expect(sorted(steps.flat())).toEqual(range(0, rows));

      // A state of the step before would hand its rows over twice.
      await using earlier = await StreamingDataset.open(table, { ...run, worldSize: 1 });
      for await (const _ of earlier.batches(stepRows * (before.steps.length - 1))) break;
      const rest = await readIds(earlier);
      expect(before.steps.flat().length + rest.length).toBe(rows + stepRows);
    });
  });
}
