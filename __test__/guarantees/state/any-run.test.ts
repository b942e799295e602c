import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";
import { known } from "../../support/known.ts";
import { planned, type Splits, splitsOf } from "../../support/plan-model.ts";
import { epochIds, sorted } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { World } from "../../support/world.ts";

/** What a part of a run does: on so many ranks, each rank reads some batches of one size, and all are saved and merged. */
interface Part {
  readonly worldSize: number;
  readonly batchSize: number;
  readonly steps: readonly number[];
}

const numSplits = 12;
const rows = numSplits * 6 + 7;
const sizes = [1, 2, 3, 4, 6, 12];
const path = await writeIds(tempFolder(), "ids", rows, { fragments: 2 });

const parts: fc.Arbitrary<Part> = fc.record({
  worldSize: fc.constantFrom(...sizes),
  batchSize: fc.integer({ min: 1, max: 15 }),
  steps: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 12, maxLength: 12 }),
});

const setUps: readonly (readonly [string, StreamingDatasetOptions])[] = [
  ["dropped", { numSplits, shuffleSeed: 3 }],
  ["kept", { numSplits, shuffleSeed: 4, remainder: "keep", fetch: "take", readBatchSize: 2 }],
];

describe.each(setUps)(
  "a run that is stopped anywhere goes on on any ranks, with a surplus that is %s,",
  (_, options) => {
    const worlds = new Map<number, World>();
    let start: StateDict;
    let splits: Splits;

    beforeAll(async () => {
      for (const size of sizes) worlds.set(size, await World.open(path, size, options));
      [start] = worldOf(1).states() as [StateDict];
      splits = splitsOf(await epochIds(path, options), numSplits);
    });

    afterAll(async () => {
      for (const world of worlds.values()) await world[Symbol.asyncDispose]();
    });

    function worldOf(size: number): World {
      return known(worlds.get(size));
    }

    /** Runs a part from a state: what it read, and where it stands. No rank sees the end of the epoch. */
    async function run(
      state: StateDict,
      { worldSize, batchSize, steps }: Part,
    ): Promise<[number[], StateDict]> {
      const world = worldOf(worldSize);
      world.load(state);
      const plans = plansOf(state, worldSize);
      const left = plans.map((plan) => Math.ceil(plan.length / batchSize));
      const read = await world.read(batchSize, (rank) => Math.min(steps[rank] ?? 0, left[rank] ?? 0));
      const ids = read.map((batches) => batches.flat());
      expect(ids).toEqual(plans.map((plan, rank) => plan.slice(0, ids[rank]?.length)));
      return [ids.flat(), StreamingDataset.mergeStateDicts(world.states())];
    }

    /** What each rank must read from a state on. */
    function plansOf(state: StateDict, worldSize: number): number[][] {
      const progress = state.samples_consumed_per_split as readonly number[];
      const block = numSplits / worldSize;
      return range(0, worldSize).map((rank) => planned(splits, progress, [rank * block, (rank + 1) * block]));
    }

    test("to the last row, in the order of the plan", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(parts, { maxLength: 4 }),
          fc.constantFrom(...sizes),
          async (stopped, last) => {
            const read: number[] = [];
            let state = start;
            for (const part of stopped) {
              const [ids, next] = await run(state, part);
              read.push(...ids);
              state = next;
            }
            const plans = plansOf(state, last);
            worldOf(last).load(state);
            const rest = (await worldOf(last).read(5)).map((batches) => batches.flat());
            expect(rest).toEqual(plans);
            expect(sorted([...read, ...rest.flat()])).toEqual(sorted(splits.flat()));
          },
        ),
        { numRuns: 40 },
      );
    });
  },
);
