import { once } from "node:events";
import { BroadcastChannel } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { nextIds, readIds } from "../support/reading.ts";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failing, moduleOf, openWith } from "./support.ts";

const rows = 1000;
const table = await writeIds(tempFolder(), "ids", rows);

describe("a loop that is left while a thread is busy", () => {
  it.each(["never_settles", "never_returns"])("leaves_no_harm_to_the_next_one_where_it_%s", async (how) => {
    const channel = new BroadcastChannel("hanging");
    const hangs = once(channel, "message");
    await using dataset = await openWith(table, moduleOf(`hanging.ts?how=${how}`));
    const batches = dataset.batches(10);
    expect(await nextIds(batches)).toEqual(range(0, 10));
    await hangs;
    const aborted = once(channel, "message");
    await batches.return();
    dataset.setEpoch(1);
    expect(await readIds(dataset, 10)).toEqual(range(0, rows));
    // A thread that is in the middle of a computation hears of nothing.
    if (how === "never_settles") expect(await aborted).toMatchObject([{ data: "aborted" }]);
    channel.close();
  });
});

describe("threads that are ahead of a consumer", () => {
  it.each([1, 3])("hold_%i_batches_where_that_is_transformQueueDepth", async (transformQueueDepth) => {
    await using dataset = await openWith(table, failing("nothing", -1), {
      transformQueueDepth,
      readBatchSize: 20,
    });
    const batches = dataset.batches(20);
    for (let read = 0; read < 3; read++) {
      expect(await nextIds(batches)).toEqual(range(20 * read, 20 * (read + 1)));
      await vi.waitFor(() => expect(dataset.stats.prefetchQueueDepth).toBe(20 * transformQueueDepth));
    }
    const { prefetchQueueDepth, rawQueueDepth, unscannedRows, consumedRows } = dataset.stats;
    expect(prefetchQueueDepth + rawQueueDepth + unscannedRows + consumedRows).toBe(rows);
    expect(prefetchQueueDepth).toBe(20 * transformQueueDepth);
    await batches.return();
  });
});
