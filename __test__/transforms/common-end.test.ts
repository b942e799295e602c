import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset } from "../../src/index.ts";
import { known } from "../support/known.ts";
import { type Splits, splitsOf } from "../support/plan-model.ts";
import { epochIds, sorted } from "../support/reading.ts";
import { throughJson } from "../support/states.ts";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failingOn, surviving } from "../support/transforms.ts";

/** So few splits a rank that a stage of the agreement, 256 samples, is a small part of an epoch. */
const numSplits = 4;
const splitRows = 300;
const path = await writeIds(tempFolder(), "ids", numSplits * splitRows);
const order = { numSplits, shuffleSeed: 3 };
const worldSizes = [1, 2, 4];

/** Where the ranks of one world, all in this process, meet: each call answers when all have given their number. */
class Meeting {
  readonly #size: number;
  #given: { readonly n: number; answer(least: number): void }[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  readonly least = (n: number): Promise<number> =>
    new Promise((answer) => {
      this.#given.push({ n, answer });
      if (this.#given.length < this.#size) return;
      const all = this.#given;
      this.#given = [];
      const least = Math.min(...all.map((given) => given.n));
      for (const given of all) given.answer(least);
    });
}

let bad: readonly number[] = [];
const worlds = new Map<number, readonly StreamingDataset<number, number[]>[]>();
let splits: Splits;
let start: StateDict;

beforeAll(async () => {
  splits = splitsOf(await epochIds(path, order, 256), numSplits);
  for (const worldSize of worldSizes) {
    const meeting = new Meeting(worldSize);
    const ranks = range(0, worldSize).map((rank) =>
      StreamingDataset.open(path, {
        ...order,
        worldSize,
        rank,
        transform: (batch) => failingOn(bad)(batch),
        onTransformError: "skip",
        syncEpochEnd: meeting.least,
      }),
    );
    worlds.set(worldSize, await Promise.all(ranks));
  }
  start = throughJson(known(worlds.get(1)?.[0]).stateDict());
});

afterAll(async () => {
  for (const ranks of worlds.values()) for (const dataset of ranks) await dataset.close();
});

/** The global steps of a world from a state on, at most `most` of them, and its merged state. A step is a cycle. */
async function read(worldSize: number, state: StateDict, most: number): Promise<[number[][], StateDict]> {
  const ranks = known(worlds.get(worldSize));
  for (const dataset of ranks) dataset.loadStateDict(state);
  const read = await Promise.all(
    ranks.map(async (dataset) => {
      const steps: number[][] = [];
      if (most === 0) return steps;
      for await (const batch of dataset.batches(numSplits / worldSize)) {
        steps.push(batch);
        if (steps.length === most) break;
      }
      return steps;
    }),
  );
  expect(new Set(read.map((steps) => steps.length)).size).toBe(1);
  const steps = range(0, known(read[0]).length).map((step) =>
    sorted(read.flatMap((rank) => known(rank[step]))),
  );
  return [steps, throughJson(StreamingDataset.mergeStateDicts(ranks.map((dataset) => dataset.stateDict())))];
}

describe("with random rows that fail on some splits only, ranks that agree on their end", () => {
  test("read the same steps on every topology, also after a stop and a merge", async () => {
    // A run of bad rows in one split, so that ends lie anywhere in the stages.
    const losses = fc.array(
      fc.record({ split: fc.nat(numSplits - 1), from: fc.nat(splitRows - 1), rows: fc.nat(splitRows) }),
      { maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(
        losses,
        fc.constantFrom(...worldSizes),
        fc.constantFrom(...worldSizes),
        fc.nat(splitRows),
        async (lost, from, to, stop) => {
          bad = lost.flatMap((loss) => known(splits[loss.split]).slice(loss.from, loss.from + loss.rows));
          const samples = surviving(splits, bad);
          const cycles = samples.length / numSplits;
          const expected = range(0, cycles).map((cycle) =>
            sorted(samples.slice(cycle * numSplits, (cycle + 1) * numSplits)),
          );
          const stopped = Math.min(stop, cycles);
          const [before, state] = await read(from, start, stopped);
          expect(before).toEqual(expected.slice(0, stopped));
          const [after] = await read(to, state, Number.POSITIVE_INFINITY);
          expect(after).toEqual(expected.slice(stopped));
        },
      ),
      { numRuns: 25 },
    );
  });
});
