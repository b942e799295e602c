import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Batch, type EpochStream, StreamingDataset } from "../../../src/index.ts";
import { epochIds, idOf, idsOf, nextIds, readIds } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = await writeIds(tempFolder(), "ids", 60);
const options = { numSplits: 3, fetch: "take", readBatchSize: 2 } as const;
const order = await epochIds(path, options);
let dataset: StreamingDataset;

beforeEach(async () => {
  dataset = await StreamingDataset.open(path, options);
});

afterEach(() => dataset.close());

/** Loops of three shapes over four samples at a time, as ids. */
const loops: readonly (readonly [string, (dataset: StreamingDataset) => AsyncIterable<number[]>])[] = [
  ["samples", inFours],
  ["batches", (opened) => mapped(opened.batches(4))],
  ["collated batches", (opened) => opened.batches(4, { collate: idsOf, prefetch: 3 })],
  ["slowly collated batches", (opened) => opened.batches(4, { collate: slowly, prefetch: 3 })],
];

async function* inFours(opened: StreamingDataset): AsyncGenerator<number[]> {
  let four: number[] = [];
  for await (const sample of opened) {
    four.push(idOf(sample));
    if (four.length < 4) continue;
    yield four;
    four = [];
  }
}

async function* mapped(batches: EpochStream<Batch>): AsyncGenerator<number[]> {
  for await (const batch of batches) yield idsOf(batch);
}

async function slowly(batch: Batch): Promise<number[]> {
  await new Promise((resolve) => setTimeout(resolve, 2));
  return idsOf(batch);
}

/** That twelve samples were handed over, nothing is being read, and a new loop reads the rest. */
async function expectExactlyTwelve(taken: readonly number[]): Promise<void> {
  expect(taken).toEqual(order.slice(0, 12));
  expect(dataset.stateDict()).toMatchObject({ epoch: 0, samples_consumed_per_split: [4, 4, 4] });
  expect(dataset.stats).toMatchObject({ rawQueueDepth: 0, prefetchQueueDepth: 0, unscannedRows: 0 });
  expect(await readIds(dataset)).toEqual(order.slice(12));
}

describe.each(loops)("a loop over %s stands exactly at what it was handed", (_, loop) => {
  test("after break", async () => {
    const taken: number[] = [];
    for await (const ids of loop(dataset)) {
      taken.push(...ids);
      if (taken.length === 12) break;
    }
    await expectExactlyTwelve(taken);
  });

  test("after throw", async () => {
    const taken: number[] = [];
    const train = async () => {
      for await (const ids of loop(dataset)) {
        taken.push(...ids);
        if (taken.length === 12) throw new Error("diverged");
      }
    };
    await expect(train()).rejects.toThrow("diverged");
    await expectExactlyTwelve(taken);
  });

  test("after return", async () => {
    const taken: number[] = [];
    const train = async () => {
      for await (const ids of loop(dataset)) {
        taken.push(...ids);
        if (taken.length === 12) return;
      }
    };
    await train();
    await expectExactlyTwelve(taken);
  });
});

describe("an iterator", () => {
  test("is ended by await using", async () => {
    const taken: number[] = [];
    {
      await using iterator = dataset.batches(4);
      for (let step = 0; step < 3; step++) taken.push(...(await nextIds(iterator)));
    }
    await expectExactlyTwelve(taken);
  });

  test("is ended by return(), which may be called again", async () => {
    const iterator = dataset.batches(12);
    const taken = await nextIds(iterator);
    expect(await iterator.return()).toEqual({ done: true, value: undefined });
    expect(await iterator.return()).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await expectExactlyTwelve(taken);
  });

  test("that is ended before it began has read nothing", async () => {
    const iterator = dataset.batches(4);
    await iterator.return();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(await readIds(dataset)).toEqual(order);
  });

  test("stays at its end, and the end moves the dataset on once", async () => {
    const iterator = dataset.batches(60);
    await iterator.next();
    for (let call = 0; call < 3; call++)
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await iterator.return();
    expect(dataset.epoch).toBe(1);
  });
});
