import { setImmediate } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type Batch, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { writeWide } from "../memory/support/wide-table.ts";
import { Gate } from "../support/gate.ts";
import { known } from "../support/known.ts";
import { collect } from "../support/reading.ts";
import { range } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failingOn } from "../support/transforms.ts";

/** A row has 4 KiB, so that the addon's queue of 4 MiB and some windows hold a small part of the table. */
const rows = 8192;
const rowBytes = 4096;
const callRows = 16;
const folder = tempFolder();
let path: string;

beforeAll(async () => {
  path = await writeWide(folder, "wide", rows);
});

const options: StreamingDatasetOptions = {
  fetch: "take",
  shuffle: false,
  readBatchSize: callRows,
  ioQueueDepth: 2,
  memoryBudget: 64 * 2 ** 20,
  transformParallelism: 3,
  transformQueueDepth: 5,
};
const idsOf = failingOn([]);
/** Rows that the addon's windows and its queue may hold: windows of one call, and 4 MiB. */
const rawRows = (2 + 1) * callRows + (4 * 2 ** 20) / rowBytes;

/** Waits until `count` answers `expected`, and then whether it goes on by itself, which it must not. */
async function staysAt(expected: number, count: () => number): Promise<void> {
  await expect.poll(count, { interval: 1, timeout: 10_000 }).toBe(expected);
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  expect(count()).toBe(expected);
}

/** Waits until the addon reads no more. */
async function rawSettled(dataset: StreamingDataset<unknown, unknown>): Promise<void> {
  let before = -1;
  const unchanged = () => {
    const { unscannedRows } = dataset.stats;
    const same = unscannedRows === before;
    before = unscannedRows;
    return same;
  };
  await expect.poll(unchanged, { interval: 20, timeout: 10_000 }).toBe(true);
}

/** A dataset whose transform waits at a gate. */
function openBehind(gate: Gate) {
  const transform = async (batch: Batch) => {
    await gate.pass();
    return idsOf(batch);
  };
  return StreamingDataset.open(path, { ...options, transform });
}

describe("behind a slow transform", () => {
  test("no more calls are made than may be under way, and raw rows wait in the bounds of reads", async () => {
    const gate = new Gate();
    await using dataset = await openBehind(gate);
    const iterator = dataset.batches(callRows);
    const next = iterator.next();
    for (const handed of range(0, 20)) {
      await staysAt(3, () => gate.waiting);
      await rawSettled(dataset);
      const { rawQueueDepth, prefetchQueueDepth, unscannedRows, bytesLoaded } = dataset.stats;
      expect(rawQueueDepth + prefetchQueueDepth + unscannedRows).toBe(rows - handed * callRows);
      expect(prefetchQueueDepth).toBe(0);
      expect(rawQueueDepth).toBeLessThanOrEqual(rawRows + 3 * callRows);
      // The first read is a sample of one call more, by which the size of a row is known.
      expect(bytesLoaded / rowBytes).toBeLessThan((rawRows + (handed + 4) * callRows) * 1.01);
      gate.open();
      const { value } = handed === 0 ? await next : await iterator.next();
      expect(value).toEqual(range(handed * callRows, (handed + 1) * callRows));
    }
    await iterator.return();
  });

  test("outputs that come out of order wait for the first, and count against the queue", async () => {
    const gate = new Gate();
    await using dataset = await openBehind(gate);
    const iterator = dataset.batches(callRows);
    const next = iterator.next();
    for (const finished of range(0, 3)) {
      await staysAt(3, () => gate.waiting);
      expect(dataset.stats.prefetchQueueDepth).toBe(finished * callRows);
      gate.open(1);
    }
    // Three have come and two are under way, so that the queue of five is full.
    await staysAt(3 * callRows, () => dataset.stats.prefetchQueueDepth);
    expect(gate.waiting).toBe(2);
    gate.open(1);
    await staysAt(4 * callRows, () => dataset.stats.prefetchQueueDepth);
    expect(gate.waiting).toBe(1);
    gate.open();
    expect((await next).value).toEqual(range(0, callRows));
    // One was handed over, four wait, so that one is under way.
    await staysAt(4 * callRows, () => dataset.stats.prefetchQueueDepth);
    await staysAt(1, () => gate.waiting);
    await iterator.return();
  });
});

describe("before a slow consumer", () => {
  test.each([1, 2, 5, 12])(
    "at most %i batches wait behind the transform, and raw rows in the bounds of reads",
    async (depth) => {
      let calls = 0;
      const transform = (batch: Batch) => {
        calls++;
        return idsOf(batch);
      };
      await using dataset = await StreamingDataset.open(path, {
        ...options,
        transform,
        transformQueueDepth: depth,
      });
      let handed = 0;
      for await (const _ of dataset.batches(callRows)) {
        handed++;
        await staysAt(handed + depth, () => calls);
        await rawSettled(dataset);
        const { rawQueueDepth, prefetchQueueDepth, unscannedRows } = dataset.stats;
        expect(prefetchQueueDepth).toBe(depth * callRows);
        expect(rawQueueDepth).toBeLessThanOrEqual(rawRows);
        expect(rawQueueDepth + prefetchQueueDepth + unscannedRows).toBe(rows - handed * callRows);
        if (handed === 10) break;
      }
      expect(dataset.stats).toMatchObject({ rawQueueDepth: 0, prefetchQueueDepth: 0, unscannedRows: 0 });
    },
  );

  test("batches of several calls, or parts of one, keep to the same bound", async () => {
    for (const [size, held] of [
      [callRows / 4, 5],
      [callRows * 3, 5],
    ] as const) {
      let calls = 0;
      const transform = (batch: Batch) => {
        calls++;
        return idsOf(batch);
      };
      await using dataset = await StreamingDataset.open(path, { ...options, transform });
      let handed = 0;
      for await (const _ of dataset.batches(size)) {
        handed += size;
        await staysAt(Math.floor(handed / callRows) + held, () => calls);
        if (handed > callRows * 6) break;
      }
    }
  });

  test("the batch that it waits for comes above every bound", async () => {
    // The first rows of split 0 all fail, so that cycle 0 is far ahead of what the queue holds.
    const bad = range(0, 1024);
    await using dataset = await StreamingDataset.open(path, {
      ...options,
      numSplits: 2,
      transform: failingOn(bad),
      onTransformError: "skip",
      transformQueueDepth: 1,
      transformParallelism: 1,
    });
    const samples = await collect(dataset);
    expect(samples.slice(0, 4)).toEqual([1024, 4096, 1025, 4097]);
    expect(samples.length).toBe(2 * (4096 - 1024));
  });
});

describe("the size of what a transform gets", () => {
  test.each<[string, StreamingDatasetOptions, number | undefined, number]>([
    ["readBatchSize of each owned split", { readBatchSize: 5, numSplits: 4 }, 64, 20],
    ["readBatchSize of each split of a rank", { readBatchSize: 5, numSplits: 4, worldSize: 2 }, 64, 10],
    ["32 rows in a plain loop", {}, undefined, 32],
    ["as many whole batches as fit into 32 rows", {}, 10, 30],
    ["a batch", {}, 100, 100],
    ["at most 1024 rows", {}, 5000, 1024],
  ])("is %s", async (_, more, batchSize, expected) => {
    const sizes: number[] = [];
    const transform = (batch: Batch) => {
      sizes.push(batch.numRows);
      return idsOf(batch);
    };
    await using dataset = await StreamingDataset.open(path, { fetch: "take", transform, ...more });
    const stream: AsyncIterable<unknown> = batchSize === undefined ? dataset : dataset.batches(batchSize);
    for await (const _ of stream) break;
    expect(known(sizes[0])).toBe(expected);
  });
});
