import { describe, expect, test } from "vitest";
import { StreamingDataset } from "../../../src/index.ts";
import { readIds, readSome } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const rows = 600;
const path = await writeIds(tempFolder(), "ids", rows, { fragments: 2 });
/** Nothing is read, and nothing waits. */
const idle = { rawQueueDepth: 0, prefetchQueueDepth: 0, unscannedRows: 0 };

describe.each(["memory", "take"] as const)("the statistics, with fetch %s,", (fetch) => {
  // A budget of its own, so that other datasets do not count.
  const options = { fetch, numSplits: 4, readBatchSize: 25, ioQueueDepth: 1, memoryBudget: 2 ** 24 } as const;

  test("are all zero before the first read", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    expect(dataset.stats).toEqual({
      ...idle,
      bytesLoaded: 0,
      fetchTime: 0,
      consumedRows: 0,
      budgetUsed: 0,
      transformTime: 0,
      rowsSkipped: 0,
    });
  });

  test("account for every row of the epoch at any time", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    let consumed = 0;
    for await (const _ of dataset.batches(50)) {
      consumed += 50;
      expect(dataset.stats.consumedRows).toBe(consumed);
      // All rows of this table may wait for the consumer.
      await expect.poll(() => dataset.stats.prefetchQueueDepth).toBe(rows - consumed);
      expect(dataset.stats).toMatchObject({ rawQueueDepth: 0, unscannedRows: 0, consumedRows: consumed });
    }
  });

  test("are exact after the end of the epoch, too", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    await readIds(dataset, 64);
    const { bytesLoaded, fetchTime, ...rest } = dataset.stats;
    // Four bytes of id, and four of offset and up to seven of text of the name. Memory also takes the first window and a sample.
    expect(bytesLoaded).toBeGreaterThanOrEqual(rows * 13);
    expect(bytesLoaded).toBeLessThan(rows * (fetch === "memory" ? 40 : 24));
    expect(fetchTime).toBeGreaterThan(0);
    expect(rest).toMatchObject({ ...idle, consumedRows: rows });
  });

  test("count the reads of later epochs, of which memory needs none", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    await readIds(dataset);
    const first = dataset.stats;
    await readIds(dataset);
    const second = dataset.stats;
    expect(second.consumedRows).toBe(2 * rows);
    if (fetch === "memory") expect(second.bytesLoaded).toBe(first.bytesLoaded);
    else expect(second.bytesLoaded).toBeGreaterThan(1.5 * first.bytesLoaded);
  });

  test("show an idle loader once a loop was left", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    await readSome(dataset, 3);
    expect(dataset.stats).toMatchObject({ ...idle, consumedRows: 3 });
  });

  test("count what was handed over by this dataset, not what its state had seen before", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    await readSome(dataset, 100);
    await using resumed = await StreamingDataset.open(path, { ...options, state: dataset.stateDict() });
    expect(resumed.stats.consumedRows).toBe(0);
    await readIds(resumed);
    expect(resumed.stats.consumedRows).toBe(500);
  });
});

test("the budget gives back what takes have used when they have ended", async () => {
  await using dataset = await StreamingDataset.open(path, { fetch: "take", memoryBudget: 2 ** 24 });
  await readIds(dataset);
  await expect.poll(() => dataset.stats.budgetUsed).toBe(0);
});

test("the bytes are those of the columns and rows that are read", async () => {
  const loaded = async (options: object) => {
    await using dataset = await StreamingDataset.open(path, { memoryBudget: 2 ** 24, ...options });
    for await (const _ of dataset.batches(100));
    return dataset.stats.bytesLoaded;
  };
  const all = await loaded({});
  expect(await loaded({ columns: ["id"] })).toBeLessThan(all / 2);
  expect(await loaded({ filter: "id < 60" })).toBeLessThan(all / 2);
});
