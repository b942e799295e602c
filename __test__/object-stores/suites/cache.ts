import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions, type TableLocation } from "../../../src/index.ts";
import { writeWide } from "../../memory/support/wide-table.ts";
import { reportOf, runChild } from "../../process/support/child.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, readIds } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import type { Fault, StoreRequest } from "../support/faulty-proxy.ts";
import type { TestStore } from "../support/store.ts";

const rows = 1024;
const tableBytes = rows * 4100;
const program = new URL("../children/cached.ts", import.meta.url);
/** Small windows, so that an epoch reads each part of the table many times. */
const taking = { fetch: "take", memoryBudget: 1 << 20, shuffleSeed: 7 } satisfies StreamingDatasetOptions;

/** What was read of a table in an object store is kept on disk. */
export function describeCache(store: TestStore): void {
  describe("a cache of a table in an object store", () => {
    const { proxy } = store;
    const folder = tempFolder();
    let table: TableLocation;
    let expected: number[];
    let caches = 0;

    beforeAll(async () => {
      await Promise.all(
        ["cached", "other"].map((name) =>
          writeWide(store.database, name, rows, 2, { storageOptions: store.direct }),
        ),
      );
      table = store.table("cached");
      await using dataset = await StreamingDataset.open(table, taking);
      expected = await readIds(dataset, 64);
    });

    /** A folder for a cache that is not there yet. */
    function newCache(): string {
      return join(folder, `cache-${caches++}`);
    }

    /** An epoch with these options: the ids, and the requests of the dataset for data. */
    async function epoch(
      options: StreamingDatasetOptions,
      source = table,
    ): Promise<{ ids: number[]; reads: readonly StoreRequest[] }> {
      await using dataset = await StreamingDataset.open(source, { ...taking, ...options });
      proxy.requests = [];
      const ids = await readIds(dataset, 64);
      return { ids, reads: proxy.dataReads };
    }

    test.each<StreamingDatasetOptions>([
      { fetch: "take" },
      { fetch: "scratch", scratchDir: folder },
      { fetch: "auto" },
      { fetch: "take", shuffle: false },
    ])("makes no request in a second epoch and in a second run of a table that fits: %o", async (options) => {
      const settings = { ...taking, ...options, cacheDir: newCache() };
      await using dataset = await StreamingDataset.open(table, settings);
      const first = await readIds(dataset, 64);
      expect(proxy.dataReads.length).toBeGreaterThan(0);
      store.forget();
      const second = await readIds(dataset, 64);
      expect(proxy.requests).toEqual([]);
      expect(new Set(second).size).toBe(rows);
      const again = await epoch(settings);
      expect(again.reads).toEqual([]);
      expect(again.ids).toEqual(first);
      expect((await epoch({ ...options, fetch: "take" })).reads).not.toEqual([]);
    });

    test("fetches every part of the table once, in fewer requests than without", async () => {
      const without = await epoch({});
      const { ids, reads } = await epoch({ cacheDir: newCache() });
      expect(ids).toEqual(expected);
      expect(bytesOf(reads)).toBeLessThan(1.1 * tableBytes);
      expect(bytesOf(without.reads)).toBeGreaterThan(2 * tableBytes);
      expect(reads.length).toBeLessThan(without.reads.length / 2);
    });

    test("is shared by processes: what one has read the others do not fetch", async () => {
      const options = { ...taking, cacheDir: newCache(), storageOptions: store.options };
      const argument = [JSON.stringify({ ...options, uri: table.uri })];
      expect(await reportOf(program, argument)).toEqual(expected);
      proxy.fault = (request) => (isData(request) ? { kind: "refused", status: 403, code: "No" } : undefined);
      const readers = range(0, 3).map(() => reportOf(program, argument));
      for (const ids of await Promise.all(readers)) expect(ids).toEqual(expected);
    });

    test("that was being filled by processes that were killed is whole", async () => {
      const cacheDir = newCache();
      const options = { ...taking, cacheDir, storageOptions: store.options };
      const argument = [JSON.stringify({ ...options, uri: table.uri })];
      for (const batches of [1, 3]) {
        const killed = range(0, 2).map(() => {
          let seen = 0;
          return runChild(program, argument, {
            onLine: (_, child) => {
              if (++seen === batches) child.kill("SIGKILL");
            },
          });
        });
        for (const ended of await Promise.all(killed)) expect(ended.signal).toBe("SIGKILL");
      }
      expect(blocksOf(cacheDir).length).toBeGreaterThan(0);
      expect((await epoch({ cacheDir })).ids).toEqual(expected);
      expect((await epoch({ cacheDir })).reads).toEqual([]);
    });

    test("fetches again what the disk has damaged or cut", async () => {
      const cacheDir = newCache();
      await epoch({ cacheDir });
      const [first = "", second = ""] = blocksOf(cacheDir);
      const bytes = readFileSync(first);
      bytes[100_000] = (bytes[100_000] ?? 0) ^ 1;
      writeFileSync(first, bytes);
      writeFileSync(second, readFileSync(second).subarray(0, 200_000));
      const { ids, reads } = await epoch({ cacheDir });
      expect(ids).toEqual(expected);
      expect(reads.length).toBeGreaterThan(1);
      expect(bytesOf(reads)).toBeLessThan(tableBytes / 1.5);
      expect((await epoch({ cacheDir })).reads).toEqual([]);
    });

    test("of a table that does not fit keeps a part, and no more than it may", async () => {
      const cacheDir = newCache();
      const cacheBytes = tableBytes / 2;
      const first = await epoch({ cacheDir, cacheBytes });
      const second = await epoch({ cacheDir, cacheBytes });
      expect([first.ids, second.ids]).toEqual([expected, expected]);
      const without = await epoch({});
      expect(second.reads.length).toBeGreaterThan(0);
      expect(bytesOf(second.reads)).toBeLessThan(0.75 * bytesOf(without.reads));
      const used = blocksOf(cacheDir).reduce((sum, path) => sum + statSync(path).blocks * 512, 0);
      expect(used).toBeGreaterThan(cacheBytes / 2);
      expect(used).toBeLessThan(cacheBytes * (1 + 2 / 64));
    });

    test("gives the room of tables that nobody reads to one that is read", async () => {
      const settings = { cacheDir: newCache(), cacheBytes: 1.3 * tableBytes };
      await epoch(settings);
      const before = blocksOf(settings.cacheDir);
      const other = store.table("other");
      await epoch(settings, other);
      expect((await epoch(settings, other)).reads).toEqual([]);
      const after = blocksOf(settings.cacheDir);
      expect(before.every((path) => after.includes(path))).toBe(false);

      // While somebody has it open, it stays.
      await using open = await StreamingDataset.open(other, { ...taking, ...settings });
      await readIds(open, 64);
      await epoch(settings);
      store.forget();
      await readIds(open, 64);
      expect(proxy.requests).toEqual([]);
    });

    test.each<[string, Fault]>([
      ["are refused", { kind: "refused", status: 503, code: "SlowDown" }],
      ["are cut", { kind: "cut" }],
    ])("keeps nothing but whole answers when some %s", async (_, fault) => {
      const cacheDir = newCache();
      let asked = 0;
      proxy.fault = (request) => (isData(request) && asked++ % 3 === 0 ? fault : undefined);
      expect((await epoch({ cacheDir })).ids).toEqual(expected);
      store.forget();
      expect((await epoch({ cacheDir })).ids).toEqual(expected);
    });

    test("tells the error of the store to all who wait for it", async () => {
      const hasty = store.table("cached", { client_max_retries: "0", lance_aimd_max_retries: "1" });
      await using dataset = await StreamingDataset.open(hasty, { ...taking, cacheDir: newCache() });
      proxy.fault = (request) =>
        isData(request) ? { kind: "refused", status: 400, code: "ExpiredToken" } : undefined;
      await failure(() => readIds(dataset, 64), "READ_FAILED", "ExpiredToken");
      store.forget();
      expect(await readIds(dataset, 64)).toEqual(expected);
    });

    test("is not made for a table on disk, and not where it can't be", async () => {
      const local = await writeIds(folder, "local", 20);
      const cacheDir = newCache();
      await epochIds(local, { cacheDir });
      expect(existsSync(cacheDir)).toBe(false);
      const file = join(folder, "file");
      writeFileSync(file, "");
      await failure(() => epoch({ cacheDir: join(file, "x") }), "WRITE_FAILED", "cacheDir", file);
      await failure(() => epoch({ cacheBytes: 1 }), "INVALID_ARGUMENT", "cacheBytes", "cacheDir");
    });
  });
}

function isData({ path }: StoreRequest): boolean {
  return path.includes("/data/");
}

/** The files of a cache that hold blocks. */
function blocksOf(cacheDir: string): string[] {
  return readdirSync(cacheDir)
    .filter((name) => name.endsWith(".blocks"))
    .map((name) => join(cacheDir, name));
}

/** The bytes that were asked for; of those behind the end of a file, none came. */
function bytesOf(reads: readonly StoreRequest[]): number {
  return reads.reduce((sum, { range }) => {
    const [, first = 0, last = 0] = (/bytes=(\d+)-(\d+)/.exec(range ?? "") ?? []).map(Number);
    return sum + last - first + 1;
  }, 0);
}
