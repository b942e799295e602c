import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { StreamingDataLoader, StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";
import { idsOf, readIds, readSome, withDataset } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();

describe("what was read ahead does not count as consumed", () => {
  const queues: StreamingDatasetOptions[] = [
    {},
    { fetch: "take" },
    { fetch: "take", ioQueueDepth: 16, readBatchSize: 1 },
  ];
  test.each(queues)("8 rows, two splits, one batch of 2 taken, with %o", async (options) => {
    const path = await writeIds(folder, `ahead-${queues.indexOf(options)}`, 8);
    const setUp = { ...options, numSplits: 2, shuffleSeed: 4 };
    await using dataset = await StreamingDataset.open(path, setUp);
    const ids = await readIds(dataset);
    dataset.setEpoch(0);
    const loader = new StreamingDataLoader(dataset, { batchSize: 2, collate: idsOf, prefetch: 4 });
    const iterator = loader[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual(ids.slice(0, 2));
    await sleep(200);
    expect(dataset.stats).toMatchObject({ prefetchQueueDepth: 6, unscannedRows: 0 });
    const state = dataset.stateDict();
    expect(dataset.stateDict()).toEqual(state);
    expect(await withDataset(path, { ...setUp, state }, (other) => readIds(other))).toEqual(ids.slice(2));
    expect((await iterator.next()).value).toEqual(ids.slice(2, 4));
    await iterator.return();
  });

  test("5000 rows, reads of 1000, stopped after 200: the next one is number 200", async () => {
    const path = await writeIds(folder, "reads", 5000);
    const options = { readBatchSize: 1000, fetch: "take", shuffleSeed: 1 } as const;
    await using dataset = await StreamingDataset.open(path, options);
    const ids = await readIds(dataset, 500);
    dataset.setEpoch(0);
    expect(await readSome(dataset, 200)).toEqual(ids.slice(0, 200));
    const state = dataset.stateDict();
    await using resumed = await StreamingDataset.open(path, { ...options, state });
    expect(await readSome(resumed, 3)).toEqual(ids.slice(200, 203));
    expect(await readIds(dataset, 500)).toEqual(ids.slice(200));
  });
});
