import { describe, expect, test } from "vitest";
import { StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { known } from "../../support/known.ts";
import { epochIds, idsOf, readIds, readSome } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = await writeIds(tempFolder(), "ids", 40);
const order = await epochIds(path, { numSplits: 2 });

const open = () => StreamingDataset.open(path, { numSplits: 2 });

test("closing a dataset again changes nothing", async () => {
  const dataset = await open();
  await Promise.all([dataset.close(), dataset.close()]);
  await dataset.close();
  await dataset[Symbol.asyncDispose]();
});

test("what is used later says that the dataset is closed", async () => {
  const dataset = await open();
  const state = dataset.stateDict();
  const made = dataset.batches(4);
  await dataset.close();
  for (const use of [
    () => made.next(),
    () => dataset.batches(4).next(),
    () => dataset[Symbol.asyncIterator]().next(),
    () => dataset.loadStateDict(state),
    () => dataset.setEpoch(1),
    () => dataset.reset(),
    () => dataset.stats,
  ])
    await failure(use, "CLOSED", "closed", "open it again");
});

test("the state, the epoch and the sizes can still be had", async () => {
  const dataset = await open();
  await readSome(dataset, 6);
  const state = dataset.stateDict();
  await dataset.close();
  expect(dataset.stateDict()).toEqual(state);
  expect([dataset.epoch, dataset.numSamples, dataset.version]).toEqual([0, 40, 1]);
  expect(dataset.columnNames).toEqual(["id", "name"]);
});

test("a state that was saved after `await using` has closed the dataset resumes", async () => {
  const save = async () => {
    await using dataset = await open();
    const ids = await readSome(dataset, 6);
    return { dataset, ids };
  };
  const { dataset, ids } = await save();
  await using resumed = await StreamingDataset.open(path, { state: dataset.stateDict() });
  expect([...ids, ...(await readIds(resumed))]).toEqual(order);
});

describe("closing a dataset under an iterator", () => {
  test("ends it with an error at its next call, and leaves the progress exact", async () => {
    const dataset = await open();
    const iterator = dataset.batches(10);
    const { value } = await iterator.next();
    await dataset.close();
    await failure(() => iterator.next(), "CLOSED");
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(idsOf(known(value))).toEqual(order.slice(0, 10));
    expect(dataset.stateDict().samples_consumed_per_split).toEqual([5, 5]);
  });

  test("settles a call that waits, also for a collate that never settles", async () => {
    for (const collate of [idsOf, () => new Promise<number[]>(() => undefined)]) {
      const dataset = await open();
      const iterator = dataset.batches(10, { collate });
      const waiting = iterator.next();
      await dataset.close();
      await failure(() => waiting, "CLOSED");
      expect(dataset.stateDict().samples_consumed_per_split).toEqual([0, 0]);
    }
  });
});

describe("closing lets go of", () => {
  test("the rows in memory", async () => {
    await using other = await StreamingDataset.open(path);
    const dataset = await StreamingDataset.open(path, { fetch: "memory", readBatchSize: 4 });
    const before = other.stats.budgetUsed;
    await readIds(dataset);
    expect(other.stats.budgetUsed).toBeGreaterThan(before);
    await dataset.close();
    await expect.poll(() => other.stats.budgetUsed).toBe(before);
    // Held until here, so that it is the closing and no garbage collection.
    expect(dataset.epoch).toBe(1);
  });

  test("but not of batches that were handed over", async () => {
    const dataset = await open();
    const { value } = await dataset.batches(40).next();
    const batch = known(value);
    await dataset.close();
    expect(idsOf(batch)).toEqual(order);
  });
});
