import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { beforeAll, expect, test } from "vitest";
import {
  type BatchMessage,
  type SkipMessage,
  StreamingDataset,
  type StreamingStatistics,
  type WindowMessage,
} from "../../../src/index.ts";
import { collect, idsOf } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 200);
});

/** What a channel tells while `work` runs. */
async function listen<Message>(name: string, work: () => Promise<unknown>): Promise<Message[]> {
  const messages: Message[] = [];
  const listener = (message: unknown) => messages.push(message as Message);
  subscribe(name, listener);
  try {
    await work();
  } finally {
    unsubscribe(name, listener);
  }
  return messages;
}

test("every batch is told with the statistics as they are behind it", async () => {
  await using dataset = await StreamingDataset.open(path);
  // What other threads count goes on while the consumer looks.
  const settled = ({ consumedRows, rowsSkipped, transformTime }: StreamingStatistics) => ({
    consumedRows,
    rowsSkipped,
    transformTime,
  });
  const read: unknown[] = [];
  const messages = await listen<BatchMessage>("lance-loader:batch", async () => {
    for await (const batch of dataset.batches(64)) read.push([0, batch.numRows, settled(dataset.stats)]);
  });
  expect(messages.map(({ epoch, samples, stats }) => [epoch, samples, settled(stats)])).toEqual(read);
  expect(Object.keys(messages.at(-1)?.stats ?? {})).toEqual(Object.keys(dataset.stats));
  expect(messages.map(({ samples }) => samples)).toEqual([64, 64, 64, 8]);
  expect(messages.at(-1)?.stats.consumedRows).toBe(200);
});

test("every read is told once, and they add up to the statistics", async () => {
  await using dataset = await StreamingDataset.open(path, { fetch: "take", readBatchSize: 50 });
  const messages = await listen<WindowMessage>("lance-loader:window", () => collect(dataset.batches(10)));
  expect(messages.map(({ rows }) => rows)).toEqual([50, 50, 50, 50]);
  const sum = (of: (message: WindowMessage) => number) =>
    messages.reduce((total, message) => total + of(message), 0);
  expect(sum(({ bytes }) => bytes)).toBe(dataset.stats.bytesLoaded);
  expect(sum(({ seconds }) => seconds)).toBeCloseTo(dataset.stats.fetchTime, 6);
});

test("skipped rows are told", async () => {
  await using dataset = await StreamingDataset.open(path, {
    shuffle: false,
    onTransformError: "skip",
    transform: (batch) =>
      idsOf(batch).map((id) => {
        if (id % 50 === 3 || id === 4) throw new Error("a bad row");
        return id;
      }),
  });
  const messages = await listen<SkipMessage>("lance-loader:skip", () => collect(dataset));
  expect(messages.reduce((total, { rows }) => total + rows, 0)).toBe(5);
  expect(messages.at(-1)).toMatchObject({ epoch: 0, rowsSkipped: 5 });
});

test("nothing is told once nobody listens", async () => {
  await using dataset = await StreamingDataset.open(path);
  const channels = ["lance-loader:batch", "lance-loader:window", "lance-loader:skip"];
  const messages: unknown[] = [];
  for (const name of channels) messages.push(...(await listen(name, async () => undefined)));
  await collect(dataset.batches(50));
  expect(messages).toEqual([]);
});
