import { describe, expect, test } from "vitest";
import { StreamingDataLoader, StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { idsOf, readBatches, readIds, readSome, withDataset } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = await writeIds(tempFolder(), "ids", 50);

describe("the numbers of samples and of batches are known before reading, on", () => {
  const topologies = [
    { numSplits: 1 },
    { numSplits: 7 },
    { numSplits: 7, remainder: "keep" },
    { numSplits: 12, worldSize: 3, rank: 1 },
    { numSplits: 12, worldSize: 3, rank: 0, remainder: "keep" },
    { numSplits: 12, worldSize: 3, rank: 2, worker: { id: 1, numWorkers: 2 } },
    { filter: "id < 23" },
  ] as const;
  test.each(topologies)("%o", async (options) => {
    await using dataset = await StreamingDataset.open(path, options);
    const { numSamples } = dataset;
    for (const batchSize of [1, 4, 7, 50, 1000]) {
      const numBatches = dataset.numBatches(batchSize);
      const full = dataset.numBatches(batchSize, { dropLast: true });
      const batches = await readBatches(dataset, batchSize);
      expect(batches).toHaveLength(numBatches);
      expect(batches.flat()).toHaveLength(numSamples);
      expect(batches.filter((ids) => ids.length === batchSize)).toHaveLength(full);
      expect(batches.slice(0, -1).every((ids) => ids.length === batchSize)).toBe(true);
    }
  });
});

test("they are those of the whole epoch, also when a part of it was handed over", async () => {
  await withDataset(path, { numSplits: 5 }, async (dataset) => {
    await readSome(dataset, 20);
    dataset.loadStateDict(dataset.stateDict());
    expect([dataset.numSamples, dataset.numBatches(8)]).toEqual([50, 7]);
  });
});

describe("a loader", () => {
  test("has as many batches as its length says", async () => {
    await using dataset = await StreamingDataset.open(path);
    for (const dropLast of [false, true]) {
      const loader = new StreamingDataLoader(dataset, { batchSize: 8, dropLast });
      let batches = 0;
      for await (const batch of loader) batches += batch.numRows > 0 ? 1 : 0;
      expect(loader.length).toBe(dropLast ? 6 : 7);
      expect(batches).toBe(loader.length);
    }
  });

  test("has batches of one row by default", async () => {
    await using dataset = await StreamingDataset.open(path);
    const loader = new StreamingDataLoader(dataset);
    expect([loader.length, loader.batchSize, loader.dataset]).toEqual([50, 1, dataset]);
    for await (const batch of loader) expect(batch.numRows).toBe(1);
  });

  test("refuses what is no dataset", async () => {
    for (const value of [null, undefined, path, {}])
      await failure(() => new StreamingDataLoader(value as never), "INVALID_ARGUMENT", "dataset");
  });
});

describe("a tail that dropLast leaves out", () => {
  test("is not handed over and not counted as consumed, and the epoch ends", async () => {
    await using dataset = await StreamingDataset.open(path);
    const order = await readIds(dataset);
    dataset.setEpoch(0);
    const ids: number[] = [];
    let last = dataset.stateDict();
    for await (const batch of dataset.batches(8, { dropLast: true })) {
      ids.push(...idsOf(batch));
      last = dataset.stateDict();
    }
    expect(ids).toEqual(order.slice(0, 48));
    expect([last.samples_consumed_per_split, dataset.stats.consumedRows]).toEqual([[48], 98]);
    expect(dataset.epoch).toBe(1);
    dataset.loadStateDict(last);
    expect(await readIds(dataset)).toEqual(order.slice(48));
  });

  test("is the whole epoch where the batch is larger than it", async () => {
    await using dataset = await StreamingDataset.open(path);
    for await (const batch of dataset.batches(51, { dropLast: true }))
      throw new Error(`got ${batch.numRows} rows`);
    expect([dataset.epoch, dataset.stats.consumedRows]).toEqual([1, 0]);
  });

  test("is none where the batches come out even", async () => {
    await using dataset = await StreamingDataset.open(path);
    const ids = [];
    for await (const batch of dataset.batches(10, { dropLast: true })) ids.push(...idsOf(batch));
    expect(ids.toSorted((left, right) => left - right)).toEqual(range(0, 50));
  });
});
