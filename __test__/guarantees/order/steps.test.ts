import { beforeAll, describe, expect, test } from "vitest";
import {
  type Batch,
  type SkipSteps,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { collect, idOf, idsOf, readIds, readSome, sorted } from "../../support/reading.ts";
import { throughJson } from "../../support/states.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { World } from "../../support/world.ts";

const folder = tempFolder();
const numSplits = 8;
const globalBatch = 16;
let path: string;
/** The row ids of the table, by id. */
let rowIds: Map<number, bigint>;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 200, { fragments: 3, deleted: "id % 20 = 7" });
  await using table = await StreamingDataset.open(path, { columns: ["id", "_rowid"], shuffle: false });
  const rows = await collect(table);
  rowIds = new Map(rows.map((row) => [idOf(row), row["_rowid"] as bigint]));
});

/** The ids of each step of the first epochs, over all ranks. */
async function steps(
  worldSize: number,
  options: StreamingDatasetOptions = {},
  epochs = 1,
): Promise<number[][][]> {
  await using world = await World.open(path, worldSize, { numSplits, ...options });
  const all: number[][][] = [];
  for (const _ of range(0, epochs)) {
    const ranks = await world.read(globalBatch / worldSize);
    const longest = Math.max(...ranks.map((batches) => batches.length));
    all.push(range(0, longest).map((step) => sorted(ranks.flatMap((batches) => batches[step] ?? []))));
  }
  return all;
}

function idsOfRows(ids: Iterable<bigint>): number[] {
  const idOfRow = new Map(Array.from(rowIds, ([id, rowId]) => [rowId, id]));
  return sorted(Array.from(ids, (rowId) => idOfRow.get(rowId) ?? Number.NaN));
}

describe("the plan tells the rows of every step", () => {
  test.each([1, 2, 4])("on %i ranks, whatever was read", async (worldSize) => {
    const [expected = []] = await steps(worldSize);
    const batchSize = globalBatch / worldSize;
    for (const rank of range(0, worldSize)) {
      await using dataset = await StreamingDataset.open(path, { numSplits, worldSize, rank });
      await readSome(dataset, 11);
      const { plan } = dataset;
      expect(plan.numSteps({ batchSize })).toBe(expected.length);
      for (const step of range(0, expected.length))
        expect(idsOfRows(plan.rowIds(step, step + 1, { batchSize }))).toEqual(expected[step]);
    }
  });

  test("in one order on every topology, and of one rank alone", async () => {
    const order = await StreamingDataset.open(path, { numSplits });
    const all = order.plan.rowIds(0, 5, { batchSize: globalBatch });
    const ids = await readIds(order);
    await order.close();
    expect(Array.from(all)).toEqual(ids.slice(0, 80).map((id) => rowIds.get(id)));
    await using world = await World.open(path, 4, { numSplits });
    const ranks = await world.read(4);
    for (const rank of range(0, 4)) {
      await using dataset = await StreamingDataset.open(path, { numSplits, worldSize: 4, rank });
      expect(dataset.plan.rowIds(0, 5, { batchSize: 4 })).toEqual(all);
      const own = dataset.plan.rowIds(1, 3, { batchSize: 4, ranks: "own" });
      expect(Array.from(own)).toEqual(
        (ranks[rank] ?? [])
          .slice(1, 3)
          .flat()
          .map((id) => rowIds.get(id)),
      );
    }
  });

  test("by cycles where no batch size is given, and nothing behind the end", async () => {
    await using dataset = await StreamingDataset.open(path, { numSplits, epoch: 3 });
    expect(dataset.plan.numSteps()).toBe(Math.floor(190 / 8));
    expect(dataset.plan.rowIds(2, 5)).toEqual(dataset.plan.rowIds(0, 3, { batchSize: 16 }).slice(16, 40));
    expect(dataset.plan.rowIds(23, 90)).toHaveLength(0);
    expect(dataset.plan.rowIds(22, 2 ** 53 - 1)).toHaveLength(8);
    expect(dataset.plan.datasets(0, 2)).toEqual(new Uint32Array(16));
    expect(dataset.stats.bytesLoaded).toBe(0);
  });

  test("but not of steps that would be others on another topology", async () => {
    await using dataset = await StreamingDataset.open(path, { numSplits, worldSize: 2, rank: 0 });
    await failure(
      () => dataset.plan.rowIds(0, 1, { batchSize: 6 }),
      "INVALID_ARGUMENT",
      "batchSize 6",
      "numSplits (8)",
    );
    await failure(() => dataset.plan.rowIds(2, 1), "INVALID_ARGUMENT", "toStep is 1");
    await failure(() => dataset.plan.rowIds(-1, 1), "INVALID_ARGUMENT", "fromStep is -1");
    await failure(() => dataset.plan.rowIds(0, 1, { ranks: "mine" as never }), "INVALID_ARGUMENT", "ranks");
    await failure(() => dataset.plan.rowIds(0, 1, { batch: 1 } as never), "INVALID_ARGUMENT", '"batch"');
    await dataset.close();
    await failure(() => dataset.plan.rowIds(0, 1), "CLOSED");
  });
});

describe("skipSteps leaves out", () => {
  const skipped = [3, 4, 5, 8];
  const skipSteps = (worldSize: number, epoch?: number): SkipSteps => ({
    batchSize: globalBatch / worldSize,
    steps: [[3, 6], 8, [5, 5]],
    ...(epoch !== undefined && { epoch }),
  });

  test.each([1, 2, 8])("exactly these steps on %i ranks", async (worldSize) => {
    const [whole = []] = await steps(worldSize);
    const [left] = await steps(worldSize, { skipSteps: skipSteps(worldSize) });
    expect(left).toEqual(whole.filter((_, step) => !skipped.includes(step)));
  });

  test("steps of the epoch that is named, or of each", async () => {
    const whole = await steps(1, {}, 3);
    const without = (epoch: readonly number[][] = []) => epoch.filter((_, step) => !skipped.includes(step));
    expect(await steps(1, { skipSteps: skipSteps(1, 1) }, 3)).toEqual([
      whole[0],
      without(whole[1]),
      whole[2],
    ]);
    expect(await steps(1, { skipSteps: skipSteps(1) }, 3)).toEqual(whole.map(without));
    const two = [skipSteps(1, 0), { batchSize: 8, steps: [[0, 4]], epoch: 2 }] as const;
    expect(await steps(1, { skipSteps: two }, 3)).toEqual([without(whole[0]), whole[1], whole[2]?.slice(2)]);
  });

  test("the steps before one, so that an epoch starts there", async () => {
    const [whole = []] = await steps(2);
    expect(await steps(2, { skipSteps: { batchSize: 8, steps: [[0, 7]] } })).toEqual([whole.slice(7)]);
  });

  test("everything, which is an empty epoch", async () => {
    await using dataset = await StreamingDataset.open(path, {
      skipSteps: { batchSize: 1, steps: [[0, 2 ** 53 - 1]], epoch: 0 },
    });
    expect(dataset.numSamples).toBe(0);
    expect(await readIds(dataset)).toEqual([]);
    expect(await readIds(dataset)).toHaveLength(190);
  });

  test("them also in a run that is stopped anywhere and goes on on other ranks, with them or without", async () => {
    const [whole = []] = await steps(1);
    for (const from of range(0, 9)) {
      await using first = await World.open(path, 2, { numSplits, skipSteps: skipSteps(2) });
      const had = (await first.read(8, () => from)).flat(2);
      const state = throughJson(StreamingDataset.mergeStateDicts(first.states()));
      const left = whole.filter((_, step) => !skipped.includes(step)).flat();
      await using same = await World.open(path, 4, { numSplits, skipSteps: skipSteps(4), state });
      expect(sorted([...had, ...(await same.read(4)).flat(2)])).toEqual(sorted(left));
      // Without them, what was not passed yet comes, and what was passed does not.
      await using without = await World.open(path, 1, { numSplits, state });
      const last = whole.filter((_, step) => !skipped.includes(step))[from - 1]?.[0];
      const passed = from === 0 ? 0 : whole.findIndex((step) => step.includes(last ?? -1)) + 1;
      expect(sorted((await without.read(16)).flat(2))).toEqual(sorted(whole.slice(passed).flat()));
    }
  });

  test("them in the middle of a step, too", async () => {
    const options = { numSplits, skipSteps: skipSteps(1) };
    await using dataset = await StreamingDataset.open(path, options);
    const whole = await readIds(dataset);
    for (const count of [1, 47, 48, 49, 53, whole.length]) {
      dataset.setEpoch(0);
      dataset.reset();
      const had = await readSome(dataset, count);
      await using resumed = await StreamingDataset.open(path, {
        ...options,
        state: throughJson(dataset.stateDict()),
      });
      expect(resumed.stateDict()).toEqual(dataset.stateDict());
      expect([...had, ...(await readIds(resumed))]).toEqual(whole);
    }
  });

  test("them before what a transform skips", async () => {
    const open = (state?: object) =>
      StreamingDataset.open(path, {
        numSplits,
        skipSteps: skipSteps(1),
        onTransformError: "skip",
        transform: (batch: Batch) =>
          idsOf(batch).map((id) => {
            if (id % 11 === 4) throw new Error("a bad row");
            return id;
          }),
        ...(state && { state: state as never }),
      });
    const plain = await StreamingDataset.open(path, { numSplits, skipSteps: skipSteps(1) });
    const left = await readIds(plain);
    await plain.close();
    await using dataset = await open();
    const whole = await collect(dataset);
    expect(whole.every((id) => left.includes(id) && id % 11 !== 4)).toBe(true);
    expect(whole.length).toBeGreaterThan(90);
    for (const count of [10, 48, 61]) {
      dataset.setEpoch(0);
      dataset.reset();
      const had: number[] = [];
      for await (const id of dataset) if (had.push(id) === count) break;
      await using resumed = await open(throughJson(dataset.stateDict()));
      expect([...had, ...(await collect(resumed))]).toEqual(whole);
    }
  });

  test("nothing where the option is wrong", async () => {
    const refused = (skipSteps: unknown, ...words: string[]) =>
      failure(
        () => StreamingDataset.open(path, { numSplits, skipSteps: skipSteps as SkipSteps }),
        "INVALID_ARGUMENT",
        ...words,
      );
    await refused({ batchSize: 12, steps: [1] }, "skipSteps", "numSplits (8)");
    await refused({ batchSize: 16 }, "skipSteps.steps");
    await refused({ steps: [1] }, "skipSteps.batchSize");
    await refused({ batchSize: 16, steps: [-1] }, "skipSteps.steps[0]");
    await refused({ batchSize: 16, steps: [1, [5, 4]] }, "skipSteps.steps[1][1]");
    await refused({ batchSize: 16, steps: [[1, 2, 3]] }, "skipSteps.steps[0]");
    await refused([{ batchSize: 16, steps: [1], epoch: -1 }], "skipSteps[0].epoch");
    await refused({ batchSize: 16, steps: [1], step: 2 }, '"step"');
    await failure(
      () =>
        StreamingDataset.open(path, {
          packSequences: 4,
          eosId: 1,
          padId: 0,
          blocksPerEpoch: 8,
          skipSteps: skipSteps(1),
        }),
      "INVALID_ARGUMENT",
      "packSequences",
    );
  });
});
