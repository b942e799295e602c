import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Batch, StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, idsOf, nextIds, readIds } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = await writeIds(tempFolder(), "ids", 40);
const order = await epochIds(path, {});
let dataset: StreamingDataset;

beforeEach(async () => {
  dataset = await StreamingDataset.open(path, {});
});

afterEach(() => dataset.close());

describe("only one iterator at a time", () => {
  test("reads: a second one fails at its first next(), and the first one goes on", async () => {
    const first = dataset.batches(10);
    const second = dataset.batches(10);
    expect(await nextIds(first)).toEqual(order.slice(0, 10));
    await failure(() => second.next(), "ITERATOR_OPEN", "return()");
    await failure(() => dataset[Symbol.asyncIterator]().next(), "ITERATOR_OPEN");
    expect(await nextIds(first)).toEqual(order.slice(10, 20));
    await first.return();
    expect(await readIds(dataset)).toEqual(order.slice(20));
  });

  test("but any number may be made, and read one after the other", async () => {
    const iterators = range(0, 4).map(() => dataset.batches(10));
    const ids = [];
    for (const iterator of iterators) {
      ids.push(...(await nextIds(iterator)));
      await iterator.return();
    }
    expect(ids).toEqual(order);
  });
});

describe("calls of next() that do not wait for each other", () => {
  test("are answered in order, the end included", async () => {
    const iterator = dataset.batches(9);
    const results = await Promise.all(range(0, 8).map(() => iterator.next()));
    const batches = results.flatMap(({ value }) => (value === undefined ? [] : [idsOf(value)]));
    expect(batches.map((ids) => ids.length)).toEqual([9, 9, 9, 9, 4]);
    expect(batches.flat()).toEqual(order);
    expect(results.slice(5).every(({ done }) => done)).toBe(true);
    expect(dataset.epoch).toBe(1);
  });

  test("settle in order when collates do not", async () => {
    let calls = 0;
    const collate = async (batch: Batch) => {
      await new Promise((resolve) => setTimeout(resolve, calls++ === 0 ? 30 : 1));
      return idsOf(batch);
    };
    const iterator = dataset.batches(10, { collate, prefetch: 3 });
    const settled: number[] = [];
    const results = range(0, 4).map(async (call) => {
      const { value } = await iterator.next();
      settled.push(call);
      return value;
    });
    expect((await Promise.all(results)).flat()).toEqual(order);
    expect(settled).toEqual([0, 1, 2, 3]);
    await iterator.return();
  });

  test("are all done when return() ends the iteration under them", async () => {
    const iterator = dataset.batches(10);
    const calls = range(0, 3).map(() => iterator.next());
    await iterator.return();
    const handed = (await Promise.all(calls)).flatMap(({ value }) =>
      value === undefined ? [] : idsOf(value),
    );
    expect(handed).toEqual(order.slice(0, handed.length));
    expect([...handed, ...(await readIds(dataset))]).toEqual(order);
  });
});

test("a loop that is slow to take each batch gets what a quick one gets", async () => {
  const ids = [];
  for await (const batch of dataset.batches(10)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ids.push(...idsOf(batch));
  }
  expect(ids).toEqual(order);
});

test("two datasets are read in turns, each in its own order", async () => {
  const options = { shuffleSeed: 5, fetch: "take", readBatchSize: 4 } as const;
  await using other = await StreamingDataset.open(path, options);
  const [left, right] = [dataset.batches(3), other.batches(4)];
  const [ids, others]: [number[], number[]] = [[], []];
  for (let step = 0; step < 10; step++) {
    ids.push(...(await nextIds(left)));
    others.push(...(await nextIds(right)));
  }
  expect(ids).toEqual(order.slice(0, 30));
  expect(others).toEqual(await epochIds(path, options));
});
