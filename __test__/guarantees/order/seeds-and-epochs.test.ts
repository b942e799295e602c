import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, readIds, readSome, sorted, withDataset } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 100);
});

/** The order of one epoch under one seed. */
function order(shuffleSeed: number | bigint, epoch: number): Promise<number[]> {
  return epochIds(path, { shuffleSeed, epoch });
}

describe("two different orders are those of", () => {
  test("two epochs", async () => {
    expect(await order(7, 0)).not.toEqual(await order(7, 1));
  });

  test("two seeds, of which 0 is one", async () => {
    expect(await order(0, 0)).not.toEqual(await order(1, 0));
  });

  test("seed 100003 in epoch 0 and seed 0 in epoch 1, since both are mixed and not added", async () => {
    expect(await order(100003, 0)).not.toEqual(await order(0, 1));
  });

  test("seeds that differ above 2^53", async () => {
    expect(await order(2n ** 53n, 0)).not.toEqual(await order(2n ** 53n + 1n, 0));
    expect(await order(2n ** 64n - 1n, 0)).not.toEqual(await order(2n ** 64n - 2n, 0));
  });

  test("the largest epoch and the one before it", async () => {
    const last = Number.MAX_SAFE_INTEGER;
    const some = (epoch: number) => withDataset(path, { epoch }, (dataset) => readSome(dataset, 100));
    const ids = await some(last);
    expect(sorted(ids)).toEqual(range(0, 100));
    expect(ids).not.toEqual(await some(last - 1));
  });
});

test("the end of the largest epoch is an error, since no epoch follows", async () => {
  await withDataset(path, { epoch: Number.MAX_SAFE_INTEGER }, async (dataset) => {
    await failure(() => readIds(dataset), "INVALID_ARGUMENT", "epoch", "2^53 - 1");
    expect(dataset.stateDict()).toMatchObject({
      epoch: Number.MAX_SAFE_INTEGER,
      samples_consumed_per_split: [100],
    });
    dataset.setEpoch(0);
    expect(await readIds(dataset)).toEqual(await order(0, 0));
  });
});

test("a seed is the same as a number and as a bigint, and 0 where none is given", async () => {
  expect(await order(7n, 2)).toEqual(await order(7, 2));
  expect(await epochIds(path, {})).toEqual(await order(0, 0));
});

test("the epoch that follows in a loop is the one that is opened by its number", async () => {
  const inLoop = await withDataset(path, { shuffleSeed: 5 }, async (dataset) => {
    const epochs: number[][] = [];
    while (dataset.epoch < 3) epochs.push(await readIds(dataset));
    return epochs;
  });
  expect(inLoop).toEqual([await order(5, 0), await order(5, 1), await order(5, 2)]);
});

test("surplus rows that are dropped are others in each epoch", async () => {
  const options = { numSplits: 7, shuffleSeed: 1 };
  const dropped = async (epoch: number) => {
    const ids = new Set(await epochIds(path, { ...options, epoch }));
    return range(0, 100).filter((id) => !ids.has(id));
  };
  const [first, second] = [await dropped(0), await dropped(1)];
  expect([first.length, second.length]).toEqual([2, 2]);
  expect(first).not.toEqual(second);
});

test("a seed of null is drawn anew for every dataset and told by the state", async () => {
  const draw = () =>
    withDataset(path, { shuffleSeed: null }, async (dataset) => {
      const { shuffle_seed } = dataset.stateDict();
      expect(BigInt(shuffle_seed)).toBe(dataset.shuffleSeed);
      return { seed: dataset.shuffleSeed, ids: await readIds(dataset) };
    });
  const [first, second] = [await draw(), await draw()];
  expect(first.seed).not.toBe(second.seed);
  expect(await order(first.seed, 0)).toEqual(first.ids);
});

test("a shuffled order is spread like one that is drawn: no neighbours more often than by chance", async () => {
  const epochs = 60;
  let neighbours = 0;
  await using dataset = await StreamingDataset.open(path, { shuffleSeed: 3 });
  for (let epoch = 0; epoch < epochs; epoch++) {
    const ids = await readIds(dataset, 100);
    expect(sorted(ids)).toEqual(range(0, 100));
    neighbours += ids.filter((id, place) => place > 0 && id === (ids[place - 1] ?? 0) + 1).length;
  }
  // 99 pairs of neighbours in 100 * 99 pairs of places: one an epoch, with a variance of about one.
  expect(Math.abs(neighbours - epochs)).toBeLessThan(4 * Math.sqrt(epochs));
});
