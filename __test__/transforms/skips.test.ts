import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { known } from "../support/known.ts";
import { type Splits, splitsOf } from "../support/plan-model.ts";
import { collect, epochIds } from "../support/reading.ts";
import { throughJson } from "../support/states.ts";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failingOn, hasSkips, surviving } from "../support/transforms.ts";

const numSplits = 6;
const rows = numSplits * 9;
const path = await writeIds(tempFolder(), "ids", rows, { fragments: 2 });
/** What fails: more or less of the rows, by chance. */
const failing = fc.array(fc.nat(rows + 2), { maxLength: rows / 3 });
const surpluses = ["drop", "keep"] as const;

/** The ids of the rows that fail now; all datasets of these tests ask it. */
let bad: readonly number[] = [];
const transform: ReturnType<typeof failingOn> = (batch) => failingOn(bad)(batch);

function optionsOf(remainder: "drop" | "keep"): StreamingDatasetOptions & { transform: typeof transform } {
  return {
    numSplits: remainder === "keep" ? 4 : numSplits,
    remainder,
    shuffleSeed: 11,
    readBatchSize: 2,
    transformParallelism: 3,
    onTransformError: "skip",
    transform,
  };
}

/** What was handed over of each split, from the samples in order. */
function exactState(splits: Splits, samples: readonly number[]): [number[], number[]] {
  const handed = splits.map((split) => split.filter((id) => samples.includes(id)));
  const positions = splits.map((split, at) => split.indexOf(handed[at]?.at(-1) ?? -1) + 1);
  return [handed.map((ids) => ids.length), positions];
}

describe.each(surpluses)("with random rows that fail, and with the surplus option %s,", (remainder) => {
  const options = optionsOf(remainder);
  const { numSplits: splitCount = 1 } = options;
  const worldSizes = [1, 2, splitCount];
  const worlds = new Map<number, readonly StreamingDataset<number, number[]>[]>();
  let splits: Splits;
  let start: StateDict;

  beforeAll(async () => {
    const plain = { numSplits: splitCount, remainder, shuffleSeed: 11 };
    // With a surplus kept the first splits have one row more, which the last cycle hands over.
    splits = splitsOf(await epochIds(path, plain), splitCount);
    for (const worldSize of worldSizes) {
      const ranks = range(0, worldSize).map((rank) =>
        StreamingDataset.open(path, { ...options, worldSize, rank }),
      );
      worlds.set(worldSize, await Promise.all(ranks));
    }
    start = throughJson(known(worlds.get(1)?.[0]).stateDict());
  });

  afterAll(async () => {
    for (const ranks of worlds.values()) for (const dataset of ranks) await dataset.close();
  });

  /** What each rank of a world reads from a state on, at most `steps` batches of `size`. */
  async function read(worldSize: number, state: StateDict, size: number, steps = Number.POSITIVE_INFINITY) {
    const ranks = worlds.get(worldSize) ?? [];
    for (const dataset of ranks) dataset.loadStateDict(state);
    const samples = await Promise.all(
      ranks.map(async (dataset) => {
        const ids: number[] = [];
        let left = steps;
        if (left === 0) return ids;
        for await (const batch of dataset.batches(size)) {
          ids.push(...batch);
          if (--left === 0) break;
        }
        return ids;
      }),
    );
    return { samples, states: ranks.map((dataset) => throughJson(dataset.stateDict())) };
  }

  test("each rank gets the k-th surviving row of each split as sample k, up to its last full cycle", async () => {
    await fc.assert(
      fc.asyncProperty(
        failing,
        fc.constantFrom(...worldSizes),
        fc.integer({ min: 1, max: 13 }),
        async (ids, world, size) => {
          bad = ids;
          const { samples } = await read(world, start, size);
          const block = splitCount / world;
          const expected = range(0, world).map((rank) =>
            surviving(splits, bad, [rank * block, (rank + 1) * block]),
          );
          expect(samples).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("a state is exact after any sample, and both parts are the uninterrupted run", async () => {
    await fc.assert(
      fc.asyncProperty(failing, async (ids) => {
        bad = ids;
        const whole = surviving(splits, bad);
        for (const stop of range(1, whole.length + 1)) {
          const before = await read(1, start, 1, stop);
          expect(before.samples).toEqual([whole.slice(0, stop)]);
          const [state] = before.states as [StateDict];
          const [samples, positions] = exactState(splits, whole.slice(0, stop));
          expect(state.samples_consumed_per_split).toEqual(samples);
          expect(state.positions_consumed_per_split).toEqual(positions);
          const after = await read(1, state, 5);
          expect(after.samples).toEqual([whole.slice(stop)]);
        }
      }),
      { numRuns: 6 },
    );
  });

  test("ranks that were stopped in step and merged go on on any topology, with the rows that survive", async () => {
    let skips = 0;
    await fc.assert(
      fc.asyncProperty(
        failing,
        fc.constantFrom(...worldSizes),
        fc.constantFrom(...worldSizes),
        fc.nat(5),
        async (ids, from, to, steps) => {
          bad = ids;
          const whole = surviving(splits, bad);
          const cycles = Math.min(steps, Math.floor(whole.length / splitCount));
          const before = await read(from, start, splitCount / from, cycles);
          const merged = throughJson(StreamingDataset.mergeStateDicts(before.states));
          if (hasSkips(merged)) skips++;
          const [samples, positions] = exactState(splits, before.samples.flat());
          expect(merged.samples_consumed_per_split).toEqual(samples);
          expect(merged.positions_consumed_per_split).toEqual(positions);
          const after = await read(to, merged, 3);
          const block = splitCount / to;
          const expected = range(0, to).map((rank) =>
            surviving(splits, bad, [rank * block, (rank + 1) * block]).slice(cycles * block),
          );
          expect(after.samples).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
    // Without skips these would be the tests of other states.
    expect(skips).toBeGreaterThan(10);
  });

  test("a run goes on without a transform, or one that raises, behind rows that were skipped", async () => {
    bad = splits.slice(0, 2).flatMap((split) => split.slice(0, 3));
    const { states } = await read(1, start, splitCount, 2);
    const rest = surviving(splits, bad).slice(2 * splitCount);
    const { transform: _, onTransformError: __, transformParallelism: ___, ...raw } = options;
    expect(await epochIds(path, { ...raw, state: states[0] as StateDict })).toEqual(rest);
    bad = [];
    const raising = { ...options, onTransformError: "raise", state: states[0] as StateDict } as const;
    await using dataset = await StreamingDataset.open(path, raising);
    expect(await collect(dataset)).toEqual(rest);
  });
});

describe("a state with skips", () => {
  const options = optionsOf("drop");

  test("is refused where splits are owned that its rank did not own, and can be merged", async () => {
    const [first = 0] = await epochIds(path, { numSplits, shuffleSeed: 11 });
    bad = [first];
    const ranks = await Promise.all(
      [0, 1].map((rank) => StreamingDataset.open(path, { ...options, worldSize: 2, rank })),
    );
    for (const dataset of ranks) for await (const _ of dataset.batches(3)) break;
    const states = ranks.map((dataset) => throughJson(dataset.stateDict()));
    expect(states.map(hasSkips)).toEqual([true, false]);
    await using whole = await StreamingDataset.open(path, options);
    await failure(
      () => whole.loadStateDict(states[0] as StateDict),
      "STATE_MISMATCH",
      "rows were skipped",
      "merge",
    );
    await failure(() => StreamingDataset.mergeStateDicts(states.slice(0, 1)), "STATE_MISMATCH", "split 3");
    whole.loadStateDict(StreamingDataset.mergeStateDicts(states));
    expect(whole.stateDict().positions_consumed_per_split).toEqual([2, 1, 1, 1, 1, 1]);
    for (const dataset of ranks) await dataset.close();
  });

  test("with positions beyond a split, or below its samples, is refused", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    const state = dataset.stateDict();
    const at = (samples: number, position: number) => ({
      ...state,
      samples_consumed_per_split: Array(numSplits).fill(samples),
      positions_consumed_per_split: Array(numSplits).fill(position),
    });
    await failure(() => dataset.loadStateDict(at(2, 10)), "STATE_INVALID", "positions of split 0 is 10");
    await failure(() => dataset.loadStateDict(at(3, 2)), "STATE_INVALID", "positions_consumed_per_split");
    expect(dataset.stateDict()).toEqual(state);
    dataset.loadStateDict(at(2, 9));
    expect(await collect(dataset)).toEqual([]);
    expect(dataset.epoch).toBe(1);
  });

  test("taken behind the last sample resumes to an empty rest, then to the next epoch", async () => {
    bad = range(0, rows).filter((id) => id % 7 === 0);
    await using dataset = await StreamingDataset.open(path, options);
    const samples: number[] = [];
    let state = dataset.stateDict();
    for await (const id of dataset) {
      samples.push(id);
      state = throughJson(dataset.stateDict());
    }
    await using resumed = await StreamingDataset.open(path, { ...options, state });
    expect(await collect(resumed)).toEqual([]);
    expect(resumed.epoch).toBe(1);
    expect(await collect(resumed)).toEqual(await collect(dataset));
  });

  test("counts every row that failed up to the end of the epoch as skipped", async () => {
    bad = [...range(0, 5), ...range(40, 44)];
    await using dataset = await StreamingDataset.open(path, { ...options, numSplits: 1 });
    expect((await collect(dataset)).length).toBe(rows - 9);
    expect(dataset.stats).toMatchObject({ rowsSkipped: 9, consumedRows: rows - 9 });
    await collect(dataset);
    expect(dataset.stats.rowsSkipped).toBe(18);
  });
});
