import { beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, readIds, readSome, sorted, withDataset } from "../../support/reading.ts";
import { throughJson } from "../../support/states.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const seed = 2n ** 63n + 1n;
let path: string;
let state: StateDict;
let rest: number[];

beforeAll(async () => {
  path = await writeIds(folder, "ids", 24);
  await withDataset(path, { numSplits: 4, shuffleSeed: seed, epoch: 6 }, async (dataset) => {
    await readSome(dataset, 8);
    state = throughJson(dataset.stateDict());
    rest = await readIds(dataset);
  });
});

describe("where they were left out, a state brings", () => {
  test("its seed, its number of splits and its epoch", async () => {
    await withDataset(path, {}, async (dataset) => {
      dataset.loadStateDict(state);
      expect([dataset.shuffleSeed, dataset.numSplits, dataset.epoch]).toEqual([seed, 4, 6]);
      expect(await readIds(dataset)).toEqual(rest);
    });
  });

  test("its seed where the seed is null", async () => {
    await withDataset(path, { shuffleSeed: null, state }, async (dataset) => {
      expect(await readIds(dataset)).toEqual(rest);
    });
  });

  test("its number of splits before ranks and workers share them", async () => {
    const parts = [];
    for (const id of [0, 1]) {
      const ids = await withDataset(path, { worker: { id, numWorkers: 2 }, state }, (dataset) =>
        readIds(dataset),
      );
      parts.push(...ids);
    }
    expect(sorted(parts)).toEqual(sorted(rest));
  });
});

test("a number of splits that the ranks can't share is refused with a state, too", async () => {
  const open = () => StreamingDataset.open(path, { worldSize: 3, state });
  await failure(open, "STATE_INVALID", "numSplits", "4", "3");
});

test("a seed above 2^53 stays exact in a state, as a decimal string", async () => {
  expect(state.shuffle_seed).toBe("9223372036854775809");
  await withDataset(path, { numSplits: 4, shuffleSeed: seed, state }, async (dataset) => {
    expect(dataset.stateDict()).toEqual(state);
  });
  const off = () => StreamingDataset.open(path, { numSplits: 4, shuffleSeed: seed - 1n, state });
  await failure(off, "STATE_MISMATCH", "shuffle_seed", "9223372036854775809", "9223372036854775808");
});

describe("a state of Python LanceDB's loader", () => {
  const foreign: StateDict = {
    shuffle_seed: 0,
    num_splits: 2,
    epoch: 1,
    samples_consumed_per_split: [3, 3],
    positions_consumed_per_split: [3, 3],
  };

  test("goes on in storage order", async () => {
    await withDataset(path, { shuffle: false, state: foreign }, async (dataset) => {
      expect(dataset.epoch).toBe(1);
      expect(await readIds(dataset)).toEqual(range(3, 12).flatMap((id) => [id, id + 12]));
    });
  });

  test("is refused with progress in a shuffled order, which is another one there", async () => {
    await failure(() => StreamingDataset.open(path, { state: foreign }), "STATE_INVALID", "order_version");
  });

  test("is taken without progress in a shuffled order", async () => {
    const state = { ...foreign, samples_consumed_per_split: 0, positions_consumed_per_split: [0, 0] };
    const ids = await withDataset(path, { state }, (dataset) => readIds(dataset));
    expect(ids).toEqual(await epochIds(path, { numSplits: 2, epoch: 1 }));
  });

  test("may count samples by one number for all splits, and leave out positions", async () => {
    const { positions_consumed_per_split: _, ...required } = foreign;
    const state = { ...required, samples_consumed_per_split: 3 };
    await withDataset(path, { shuffle: false, state }, async (dataset) => {
      expect(dataset.stateDict().samples_consumed_per_split).toEqual([3, 3]);
      expect(await readIds(dataset)).toHaveLength(18);
    });
  });

  test("finds in ours the keys that it needs", () => {
    expect(state).toMatchObject({
      num_splits: 4,
      epoch: 6,
      samples_consumed_per_split: [2, 2, 2, 2],
      positions_consumed_per_split: [2, 2, 2, 2],
    });
  });
});
