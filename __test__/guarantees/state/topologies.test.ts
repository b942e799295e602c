import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { known } from "../../support/known.ts";
import { planned, type Splits, splitsOf } from "../../support/plan-model.ts";
import { epochIds, sorted } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { World } from "../../support/world.ts";

const folder = tempFolder();
const numSplits = 24;
const options = { numSplits, shuffleSeed: 5 };
const sizes = [1, 2, 3, 4, 6, 8];
const worlds = new Map<number, World>();
let path: string;
let epoch: number[];
let splits: Splits;
let start: StateDict;

beforeAll(async () => {
  path = await writeIds(folder, "ids", numSplits * 5, { fragments: 2 });
  epoch = await epochIds(path, options);
  splits = splitsOf(epoch, numSplits);
  start = await startOf(path, options);
  for (const size of sizes) worlds.set(size, await World.open(path, size, options));
});

afterAll(async () => {
  for (const world of worlds.values()) await world[Symbol.asyncDispose]();
});

function world(size: number): World {
  return known(worlds.get(size));
}

const pairs = sizes.flatMap((from) => sizes.map((to) => [from, to] as const));

describe("a run goes on with the same steps", () => {
  test.each(pairs)("from %i ranks on %i ranks, saved at every global step", async (from, to) => {
    for (const steps of range(0, 6)) {
      world(from).load(start);
      const before = (await world(from).read(numSplits / from, () => steps)).flat(2);
      const state = StreamingDataset.mergeStateDicts(world(from).states());
      world(to).load(state);
      const batches = await world(to).read(numSplits / to);
      const after = range(0, 5 - steps).map((step) => sorted(batches.flatMap((rank) => rank[step] ?? [])));
      const expected = range(steps, 5).map((step) =>
        sorted(epoch.slice(step * numSplits, (step + 1) * numSplits)),
      );
      expect(sorted(before)).toEqual(sorted(epoch.slice(0, steps * numSplits)));
      expect(after).toEqual(expected);
    }
  });
});

describe("ranks that were stopped at different steps lose and repeat nothing", () => {
  const uneven = sizes.slice(1).flatMap((from) => sizes.map((to) => [from, to] as const));
  test.each(uneven)("from %i ranks on %i ranks", async (from, to) => {
    world(from).load(start);
    // Batches of no whole cycle, and another number of them on each rank.
    const before = await world(from).read(7, (rank) => (rank * 2) % 3);
    const merged = StreamingDataset.mergeStateDicts(world(from).states());
    world(to).load(merged);
    for (const state of world(to).states())
      expect(state.samples_consumed_per_split).toEqual(merged.samples_consumed_per_split);
    const after = await world(to).read(5);
    expect(sorted([...before.flat(2), ...after.flat(2)])).toEqual(sorted(epoch));
    const progress = merged.samples_consumed_per_split as readonly number[];
    const block = numSplits / to;
    for (const [rank, batches] of after.entries())
      expect(batches.flat()).toEqual(planned(splits, progress, [rank * block, (rank + 1) * block]));
  });

  test.each(uneven)(
    "and again, stopped a second time: from %i ranks on %i ranks and back",
    async (from, to) => {
      world(from).load(start);
      const first = await world(from).read(3, (rank) => 1 + (rank % 3));
      world(to).load(StreamingDataset.mergeStateDicts(world(from).states()));
      const second = await world(to).read(2, (rank) => (rank + 1) % 3);
      world(from).load(StreamingDataset.mergeStateDicts(world(to).states()));
      const third = await world(from).read(11);
      expect(sorted([first, second, third].flat(3))).toEqual(sorted(epoch));
    },
  );
});

describe("the state of one rank alone", () => {
  test("is enough at a global step", async () => {
    world(2).load(start);
    await world(2).read(numSplits, () => 1);
    const [, second] = world(2).states();
    world(3).load(known(second));
    expect(sorted((await world(3).read(8)).flat(2))).toEqual(sorted(epoch.slice(2 * numSplits)));
  });

  test("resumes the same rank at any step", async () => {
    world(2).load(start);
    await world(2).read(7, () => 1);
    const [first] = world(2).states();
    await using dataset = await StreamingDataset.open(path, {
      ...options,
      worldSize: 2,
      rank: 0,
      state: known(first),
    });
    expect(dataset.stateDict()).toEqual(first);
  });

  test("is refused off a global step where other splits are owned: merge first", async () => {
    world(2).load(start);
    await world(2).read(7, () => 1);
    const [first] = world(2).states();
    for (const size of [1, 3]) {
      const load = () => world(size).load(known(first));
      await failure(load, "STATE_MISMATCH", "splits 0 to 11", "mergeStateDicts");
    }
    // Four ranks: the first two own splits of the saved rank only.
    const topology = { worldSize: 4, rank: 1 };
    await using within = await StreamingDataset.open(path, {
      ...options,
      ...topology,
      state: known(first),
    });
    expect(within.numSamples).toBe(30);
  });
});

test("a surplus that is kept resumes at the end of the epoch, too", async () => {
  const surplus = await writeIds(folder, "surplus", 15);
  const keep = { numSplits: 4, remainder: "keep" } as const;
  await using run = await World.open(surplus, 2, keep);
  for (const steps of range(0, 5)) {
    run.load(await startOf(surplus, keep));
    const before = await run.read(2, () => steps);
    for (const [rank, state] of run.states().entries()) {
      await using same = await StreamingDataset.open(surplus, { ...keep, worldSize: 2, rank, state });
      expect(same.stateDict()).toEqual(state);
    }
    run.load(StreamingDataset.mergeStateDicts(run.states()));
    const after = await run.read(2);
    expect(sorted([before, after].flat(3))).toEqual(range(0, 15));
  }
});

/** The state at the start of the first epoch. */
async function startOf(table: string, setUp: StreamingDatasetOptions): Promise<StateDict> {
  await using dataset = await StreamingDataset.open(table, setUp);
  return dataset.stateDict();
}
