import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Batch, StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, idsOf, readIds } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = await writeIds(tempFolder(), "ids", 60);
const order = await epochIds(path, {});
let dataset: StreamingDataset;

beforeEach(async () => {
  dataset = await StreamingDataset.open(path, {});
});

afterEach(() => dataset.close());

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("what a collate makes comes in the order of the batches:", () => {
  test.each([0, 1, 2, 8])("of a synchronous one, %i batches ahead", async (prefetch) => {
    const ids = [];
    for await (const batch of dataset.batches(7, { collate: idsOf, prefetch })) ids.push(...batch);
    expect(ids).toEqual(order);
  });

  test.each([0, 1, 2, 8])(
    "of one whose calls overlap and settle in any order, %i batches ahead",
    async (prefetch) => {
      let running = 0;
      let most = 0;
      let calls = 0;
      const collate = async (batch: Batch) => {
        most = Math.max(most, ++running);
        await pause(((calls++ * 7) % 5) * 3);
        running--;
        return idsOf(batch);
      };
      const ids = [];
      for await (const batch of dataset.batches(6, { collate, prefetch })) ids.push(...batch);
      expect(ids).toEqual(order);
      expect(most).toBeLessThanOrEqual(prefetch + 1);
      if (prefetch > 0) expect(most).toBeGreaterThan(1);
    },
  );

  test.each([null, undefined, 0, ""])("of one that answers %o", async (nothing) => {
    const values: unknown[] = [];
    for await (const value of dataset.batches(20, { collate: () => nothing })) values.push(value);
    expect(values).toEqual([nothing, nothing, nothing]);
  });
});

test("without prefetch, a batch is collated when it is asked for", async () => {
  const collated: number[] = [];
  const collate = (batch: Batch) => collated.push(batch.numRows);
  const iterator = dataset.batches(10, { collate, prefetch: 0 });
  for (let step = 1; step <= 3; step++) {
    await iterator.next();
    await pause(20);
    expect(collated).toHaveLength(step);
  }
  await iterator.return();
});

test("with prefetch, that many batches are collated ahead, and none of them counts", async () => {
  const collated: number[] = [];
  const collate = (batch: Batch) => collated.push(batch.numRows);
  const iterator = dataset.batches(10, { collate, prefetch: 3 });
  await iterator.next();
  // Now all batches are there, so that nothing but the prefetch keeps them from being collated.
  await expect.poll(() => dataset.stats.prefetchQueueDepth).toBe(50);
  await iterator.next();
  expect(collated).toHaveLength(5);
  expect(dataset.stateDict().samples_consumed_per_split).toEqual([20]);
  expect(dataset.stats).toMatchObject({ consumedRows: 20, prefetchQueueDepth: 40 });
  await iterator.return();
});

describe("a collate that fails is told at its turn, behind the batches before it, with exact progress:", () => {
  const failures: [string, (batch: Batch) => unknown, unknown][] = [
    ["by throwing an error", () => raise(new RangeError("too long")), new RangeError("too long")],
    ["by throwing undefined", () => raise(undefined), undefined],
    ["by rejecting", () => Promise.reject(new Error("too long")), new Error("too long")],
    ["by rejecting late", () => pause(10).then(() => raise("too long")), "too long"],
  ];
  test.each(failures)("%s", async (_, fail, cause) => {
    let calls = 0;
    const collate = (batch: Batch): unknown => (calls++ === 3 ? fail(batch) : idsOf(batch));
    const ids: unknown[] = [];
    const train = async () => {
      for await (const batch of dataset.batches(10, { collate, prefetch: 5 })) ids.push(batch);
    };
    const error = await failure(train, "COLLATE_FAILED", "10 rows");
    expect(error.cause).toEqual(cause);
    expect(ids.flat()).toEqual(order.slice(0, 30));
    expect(dataset.stateDict().samples_consumed_per_split).toEqual([30]);
    expect(await readIds(dataset)).toEqual(order.slice(30));
  });
});

test("what is no collate is refused", async () => {
  for (const collate of [null, "pad", 7, {}])
    await failure(
      () => dataset.batches(4, { collate } as never),
      "INVALID_ARGUMENT",
      "collate",
      "a function",
    );
  for (const prefetch of [-1, 0.5, Number.NaN, 2000, "2"])
    await failure(
      () => dataset.batches(4, { collate: idsOf, prefetch } as never),
      "INVALID_ARGUMENT",
      "prefetch",
      String(prefetch),
    );
});

function raise(error: unknown): never {
  throw error;
}
