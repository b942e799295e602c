import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions, type TableLocation } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { idsOf, readIds, readSome } from "../../support/reading.ts";
import { throughJson } from "../../support/states.ts";
import { textOf } from "../support/error-text.ts";
import type { Fault, StoreRequest } from "../support/faulty-proxy.ts";
import { SeaweedFs } from "../support/seaweedfs.ts";
import type { TestStore } from "../support/store.ts";

const rows = 600;
/** Small windows of takes, one by one, so that an epoch has many reads. */
const manyReads = { readBatchSize: 32, ioQueueDepth: 1, fetch: "take" } satisfies StreamingDatasetOptions;

const slowDown: Fault = { kind: "refused", status: 503, code: "SlowDown" };
const expired: Fault = { kind: "refused", status: 400, code: "ExpiredToken" };

function isData({ path }: StoreRequest): boolean {
  return path.includes("/data/");
}

/** Spoils the first `times` tries of each read of data. */
function firstTries(times: number, fault: Fault): (request: StoreRequest) => Fault | undefined {
  const tries = new Map<string, number>();
  return (request) => {
    const key = `${request.path} ${request.range}`;
    const before = tries.get(key) ?? 0;
    tries.set(key, before + 1);
    return isData(request) && before < times ? fault : undefined;
  };
}

/** An object store whose answers are slow, refused, dropped or cut. */
export function describeFaults(store: TestStore): void {
  describe("an object store that fails", () => {
    const { proxy } = store;
    let table: TableLocation;
    let expected: number[];

    beforeAll(async () => {
      table = await store.writeIds("faults", rows, { fragments: 6 });
      await using dataset = await StreamingDataset.open(table, manyReads);
      expected = await readIds(dataset);
    });

    /** An epoch of which every read of data is spoilt as `fault` says: the ids, and how many requests there were. */
    async function spoilt(fault: FaultyFunction): Promise<{ ids: number[]; reads: number }> {
      await using dataset = await StreamingDataset.open(table, manyReads);
      store.forget();
      proxy.fault = fault;
      const ids = await readIds(dataset);
      return { ids, reads: proxy.dataReads.length };
    }

    test("changes no order by answering late and out of turn", async () => {
      let asked = 0;
      const { ids } = await spoilt((request) =>
        isData(request) ? { kind: "late", when: sleep((asked++ % 5) * 20) } : undefined,
      );
      expect(ids).toEqual(expected);
    });

    test.each<[string, Fault]>([
      ["says 503 twice", slowDown],
      ["drops the connection", { kind: "dropped" }],
      ["cuts the answer", { kind: "cut" }],
    ])("loses no row when it %s: the read is tried again", async (_, fault) => {
      const whole = await spoilt(() => undefined);
      const ranges = new Set(proxy.dataReads.map(({ path, range }) => `${path} ${range}`));
      const { ids, reads } = await spoilt(firstTries(2, fault));
      expect(ids).toEqual(expected);
      // What is left of an answer that was cut is a read of its own.
      expect(reads).toBeGreaterThanOrEqual(whole.reads + 2 * ranges.size);
    });

    test.each<[string, Fault, string]>([
      ["503 for good", slowDown, "SlowDown"],
      ["that the credentials have expired", expired, "ExpiredToken"],
    ])("and says %s ends the read with an error, behind the rows before it", async (_, fault, message) => {
      const quick = store.table("faults", { client_max_retries: "1", lance_aimd_max_retries: "1" });
      await using dataset = await StreamingDataset.open(quick, manyReads);
      let reads = 0;
      proxy.fault = (request) => (isData(request) && reads++ >= 40 ? fault : undefined);
      const before: number[] = [];
      const reading = async () => {
        for await (const batch of dataset.batches(16)) before.push(...idsOf(batch));
      };
      const error = await failure(reading, "READ_FAILED", message);
      expect(before).toEqual(expected.slice(0, before.length));
      expect(before.length).toBeGreaterThan(0);
      expect(before.length).toBeLessThan(rows);
      expect(textOf(error)).not.toContain(SeaweedFs.secretKey);
      const state = throughJson(dataset.stateDict());
      store.forget();
      await using resumed = await StreamingDataset.open(table, { ...manyReads, state });
      expect([...before, ...(await readIds(resumed))]).toEqual(expected);
      // The dataset that failed reads on, too, once the store does.
      expect([...before, ...(await readIds(dataset))]).toEqual(expected);
    });

    test("and never answers holds up nobody who leaves, aborts or has set a time limit", async () => {
      const stopped = new AbortController();
      const never = new Promise(() => {});
      await using dataset = await StreamingDataset.open(table, { ...manyReads, signal: stopped.signal });
      const before = await readSome(dataset, 20);
      proxy.fault = (request) => (isData(request) ? { kind: "late", when: never } : undefined);
      const iterator = dataset.batches(rows);
      const pending = iterator.next();
      while (proxy.requests.length === 0) await sleep(5);
      await Promise.all([iterator.return?.(), pending.catch(() => {})]);
      const waiting = dataset.batches(rows).next();
      setImmediate(() => stopped.abort());
      await failure(() => waiting, "ABORTED");
      expect(before).toEqual(expected.slice(0, 20));

      const hasty = store.table("faults", {
        timeout: "200ms",
        client_max_retries: "0",
        lance_aimd_max_retries: "1",
        download_retry_count: "0",
      });
      await using limited = await StreamingDataset.open(hasty, manyReads);
      await failure(() => limited.batches(rows).next(), "READ_FAILED");
    });
  });
}

type FaultyFunction = (request: StoreRequest) => Fault | undefined;
