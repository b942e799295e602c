import { beforeAll, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { range } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { readBlocks } from "./support/blocks.ts";
import { numberedDocuments, writeDocuments } from "./support/documents.ts";

const folder = tempFolder();
const options: StreamingDatasetOptions = {
  packSequences: 16,
  eosId: 0,
  padId: 0,
  blocksPerEpoch: 400,
  numSplits: 2,
  memoryBudget: 2 ** 24,
};
let path: string;

beforeAll(async () => {
  path = await writeDocuments(folder, "corpus", numberedDocuments(range(0, 400).map((row) => row % 31)));
});

test("leaving a loop frees what it held of the budget, and the rest of the epoch follows", async () => {
  for (const fetch of ["take", "memory"] as const) {
    await using dataset = await StreamingDataset.open(path, { ...options, fetch });
    const whole = await readBlocks(dataset, 8);
    dataset.setEpoch(0);
    const idle = dataset.stats.budgetUsed;
    const first = await readBlocks(dataset, 8, 24);
    await expect.poll(() => dataset.stats.budgetUsed).toBe(idle);
    expect(dataset.stats).toMatchObject({ rawQueueDepth: 0, prefetchQueueDepth: 0, unscannedRows: 0 });
    expect([...first, ...(await readBlocks(dataset, 8))]).toEqual(whole);
  }
});

test("an abort ends the loop, and the state is that of what was handed over", async () => {
  const controller = new AbortController();
  await using dataset = await StreamingDataset.open(path, { ...options, signal: controller.signal });
  const iterator = dataset.batches(2);
  await iterator.next();
  await iterator.next();
  controller.abort(new Error("enough"));
  await failure(() => iterator.next(), "ABORTED");
  expect(dataset.stateDict().blocks_emitted_per_split).toEqual([2, 2]);
});

test("statistics of an epoch stay until the next one is begun", async () => {
  await using dataset = await StreamingDataset.open(path, options);
  expect(dataset.stats.packing).toMatchObject({ blocks: 0, utilization: 1, documentsConsumed: 0 });
  await readBlocks(dataset, 8);
  const ended = dataset.stats.packing;
  expect(ended).toMatchObject({ blocks: 400, documentsConsumed: 400, tokensLeftOver: 0 });
  expect(ended?.utilization).toBeCloseTo((400 + 400 * 15 - 52) / 6400, 1);
  await readBlocks(dataset, 8, 8);
  expect(dataset.stats.packing).toMatchObject({ blocks: 8 });
  expect(dataset.stats.consumedRows).toBe(408);
});

test("a dataset without packing has no statistics of it", async () => {
  await using dataset = await StreamingDataset.open(path);
  expect(dataset.stats).not.toHaveProperty("packing");
});
