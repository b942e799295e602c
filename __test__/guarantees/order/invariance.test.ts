import { beforeAll, describe, expect, test } from "vitest";
import type { StreamingDatasetOptions } from "../../../src/index.ts";
import { epochIds, sorted } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const rows = 200;
const base: StreamingDatasetOptions = { numSplits: 4, shuffleSeed: 11, epoch: 3 };
let path: string;
let order: number[];

beforeAll(async () => {
  path = await writeIds(folder, "ids", rows, { fragments: 3 });
  order = await epochIds(path, base);
});

test("every row comes exactly once an epoch", () => {
  expect(sorted(order)).toEqual(range(0, rows));
});

test("the same options give the same order again", async () => {
  expect(await epochIds(path, base)).toEqual(order);
});

describe("the order does not depend on", () => {
  test.each([1, 7, 64, 199, 200, 1000])("a batch size of %i", async (batchSize) => {
    expect(await epochIds(path, base, batchSize)).toEqual(order);
  });

  const others: StreamingDatasetOptions[] = [
    { readBatchSize: 1 },
    { readBatchSize: 3 },
    { readBatchSize: 1000 },
    { ioQueueDepth: 1 },
    { ioQueueDepth: 64, readBatchSize: 2 },
    { fetch: "memory" },
    { fetch: "take" },
    { fetch: "scratch" },
    { scratchBytes: 0 },
    { fetch: "take", readBatchSize: 5, ioQueueDepth: 2 },
    { memoryBudget: 1 },
    { lendBuffers: false },
    { cacheDir: folder, cacheBytes: 1 },
    { columns: ["id"] },
    { columns: ["name", "id"] },
    { signal: new AbortController().signal },
  ];
  test.each(others)("%o", async (options) => {
    expect(await epochIds(path, { ...base, ...options }, 8)).toEqual(order);
  });
});

describe("the order depends on", () => {
  const others: StreamingDatasetOptions[] = [
    { shuffleSeed: 12 },
    { epoch: 4 },
    { numSplits: 2 },
    { shuffle: false },
    { shuffleClumpSize: 2 },
    { filter: "id <> 7" },
  ];
  test.each(others)("%o", async (options) => {
    expect(await epochIds(path, { ...base, ...options })).not.toEqual(order);
  });
});
