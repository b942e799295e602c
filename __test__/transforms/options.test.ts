import { describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect } from "../support/reading.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failingOn } from "../support/transforms.ts";

const path = await writeIds(tempFolder(), "ids", 40);
const transform = failingOn([]);

describe("is refused by naming it:", () => {
  test.each<[string, Record<string, unknown>]>([
    ["transform is 3", { transform: 3 }],
    ["transform is null", { transform: null }],
    ["transformParallelism is 0", { transform, transformParallelism: 0 }],
    ["transformParallelism is 1.5", { transform, transformParallelism: 1.5 }],
    ["transformQueueDepth is 0", { transform, transformQueueDepth: 0 }],
    ["transformQueueDepth is Infinity", { transform, transformQueueDepth: Number.POSITIVE_INFINITY }],
    ['onTransformError is "ignore"', { transform, onTransformError: "ignore" }],
    ["onTransformError is true", { transform, onTransformError: true }],
    ["syncEpochEnd is 3", { transform, syncEpochEnd: 3 }],
    ["transformParallelism is given without transform", { transformParallelism: 2 }],
    ["transformQueueDepth is given without transform", { transformQueueDepth: 2 }],
    ["onTransformError is given without transform", { onTransformError: "skip" }],
    [
      "transform and packSequences are both given",
      { transform, packSequences: 8, eosId: 1, padId: 0, blocksPerEpoch: 4 },
    ],
    [
      "syncEpochEnd and packSequences are both given",
      { syncEpochEnd: async (n: number) => n, packSequences: 8, eosId: 1, padId: 0, blocksPerEpoch: 4 },
    ],
  ])("%s", async (message, options) => {
    await failure(
      () => StreamingDataset.open(path, options as StreamingDatasetOptions),
      "INVALID_ARGUMENT",
      message,
    );
  });
});

describe("the order of samples", () => {
  test("is that without a transform, whatever the parallelism, the queue and the sizes", async () => {
    const order = { numSplits: 4, shuffleSeed: 9 };
    await using raw = await StreamingDataset.open(path, order);
    const expected = (await collect(raw)).map((row) => row["id"]);
    for (const options of [
      { transformParallelism: 1 },
      { transformParallelism: 8, transformQueueDepth: 1 },
      { transformParallelism: 7, transformQueueDepth: 20, readBatchSize: 1 },
    ]) {
      await using dataset = await StreamingDataset.open(path, {
        ...order,
        ...options,
        // The first calls take longest, so that they come back in reverse.
        transform: async (batch, { signal }) => {
          const ids = transform(batch);
          for (let turn = 40 - (ids[0] ?? 0); turn > 0 && !signal.aborted; turn--) await Promise.resolve();
          return ids;
        },
      });
      expect(await collect(dataset)).toEqual(expected);
      expect((await collect(dataset.batches(7))).flat().length).toBe(40);
    }
  });

  test("and the number of samples are known before anything is read", async () => {
    await using dataset = await StreamingDataset.open(path, { transform, onTransformError: "skip" });
    expect([dataset.numSamples, dataset.numBatches(16)]).toEqual([40, 3]);
  });
});

describe("the statistics", () => {
  test("count the time of transforms, those of a failed batch's rows included, also after the end", async () => {
    const busy = (milliseconds: number) => {
      const end = performance.now() + milliseconds;
      while (performance.now() < end);
    };
    let calls = 0;
    await using dataset = await StreamingDataset.open(path, {
      shuffle: false,
      readBatchSize: 10,
      onTransformError: "skip",
      transform: (batch) => {
        calls++;
        busy(2);
        return failingOn([7])(batch);
      },
    });
    expect(dataset.stats.transformTime).toBe(0);
    expect((await collect(dataset)).length).toBe(39);
    expect(calls).toBe(4 + 10);
    const { transformTime } = dataset.stats;
    expect(transformTime).toBeGreaterThanOrEqual(0.002 * calls);
    await collect(dataset);
    expect(calls).toBe(2 * (4 + 10));
    expect(dataset.stats.transformTime).toBeGreaterThanOrEqual(transformTime + 0.002 * 14);
    expect(dataset.stats).toMatchObject({
      consumedRows: 78,
      rowsSkipped: 2,
      prefetchQueueDepth: 0,
      rawQueueDepth: 0,
    });
  });
});
