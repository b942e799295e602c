import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StreamingDataLoader, StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, idOf, idsOf, readIds, readSome } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = await writeIds(tempFolder(), "ids", 30);
const options = { shuffleSeed: 7, numSplits: 2 };
const epochs = await Promise.all(range(0, 4).map((epoch) => epochIds(path, { ...options, epoch })));
let dataset: StreamingDataset;

beforeEach(async () => {
  dataset = await StreamingDataset.open(path, options);
});

afterEach(() => dataset.close());

describe("plain loops in a loop train epoch after epoch, over", () => {
  test("samples", async () => {
    for (const expected of epochs) {
      const ids = [];
      for await (const sample of dataset) ids.push(idOf(sample));
      expect(ids).toEqual(expected);
    }
    expect(dataset.epoch).toBe(4);
  });

  test("batches", async () => {
    for (const expected of epochs) expect(await readIds(dataset, 8)).toEqual(expected);
  });

  test("a loader", async () => {
    const loader = new StreamingDataLoader(dataset, { batchSize: 7, collate: idsOf });
    for (const expected of epochs) {
      const ids = [];
      for await (const batch of loader) ids.push(...batch);
      expect(ids).toEqual(expected);
    }
  });
});

test("a loop that is left goes on where it was left, also in samples after batches", async () => {
  const ids: number[] = [];
  for await (const batch of dataset.batches(4)) {
    ids.push(...idsOf(batch));
    if (ids.length === 12) break;
  }
  ids.push(...(await readSome(dataset, 5)));
  expect(dataset.epoch).toBe(0);
  ids.push(...(await readIds(dataset)));
  expect(ids).toEqual(epochs[0]);
});

describe("setEpoch", () => {
  test("of another number begins that epoch", async () => {
    await readSome(dataset, 11);
    dataset.setEpoch(2);
    expect(dataset.stateDict()).toMatchObject({ epoch: 2, samples_consumed_per_split: [0, 0] });
    expect(await readIds(dataset)).toEqual(epochs[2]);
    dataset.setEpoch(0);
    expect(await readIds(dataset)).toEqual(epochs[0]);
  });

  test("of the current number changes nothing", async () => {
    const before = await readSome(dataset, 11);
    dataset.setEpoch(0);
    expect([...before, ...(await readIds(dataset))]).toEqual(epochs[0]);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53, "1", null, undefined])("of %o is refused", async (epoch) => {
    await failure(() => dataset.setEpoch(epoch as never), "INVALID_ARGUMENT", "epoch", String(epoch));
  });
});

test("reset goes back to the start of the current epoch", async () => {
  dataset.setEpoch(1);
  await readSome(dataset, 11);
  dataset.reset();
  expect(await readIds(dataset)).toEqual(epochs[1]);
});

test("an epoch that was begun from a state is followed by a whole one", async () => {
  await readSome(dataset, 20);
  dataset.loadStateDict(dataset.stateDict());
  expect(await readIds(dataset)).toEqual(epochs[0]?.slice(20));
  expect(await readIds(dataset)).toEqual(epochs[1]);
});
