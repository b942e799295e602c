import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions, type TableLocation } from "../../../src/index.ts";
import { writeWide } from "../../memory/support/wide-table.ts";
import { collect } from "../../support/reading.ts";
import { range } from "../../support/tables.ts";
import type { TestStore } from "../support/store.ts";

const rows = 1024;

/** How many requests an epoch costs: what joins them must not get worse unseen. */
export function describeRequests(store: TestStore): void {
  describe("a shuffled epoch over 1024 rows of 4 KiB in an object store", () => {
    let table: TableLocation;

    beforeAll(async () => {
      await writeWide(store.database, "wide", rows, 2, { storageOptions: store.direct });
      table = store.table("wide");
    });

    async function readsOf(options: StreamingDatasetOptions, source = table): Promise<number[]> {
      await using dataset = await StreamingDataset.open(source, { shuffleSeed: 7, ...options });
      expect(store.proxy.dataReads).toEqual([]);
      const epochs: number[] = [];
      for (const _ of range(0, 2)) {
        store.forget();
        const batches = await collect(dataset.batches(64));
        expect(batches.reduce((sum, batch) => sum + batch.numRows, 0)).toBe(rows);
        epochs.push(store.proxy.dataReads.length);
        expect(store.proxy.requests.length).toBe(store.proxy.dataReads.length);
      }
      store.forget();
      return epochs;
    }

    // The first epoch reads what the files say about themselves, too. A tenth is for requests that a busy machine makes twice.
    test.each<[StreamingDatasetOptions, number[]]>([
      [{ fetch: "memory" }, [10, 0]],
      [{ fetch: "scratch", memoryBudget: 1 << 20 }, [36, 30]],
      [{ fetch: "take", memoryBudget: 1 << 20 }, [410, 400]],
      [{ fetch: "take", memoryBudget: 4 << 20 }, [145, 125]],
      [{ fetch: "take", memoryBudget: 1 << 20, shuffleClumpSize: 64 }, [40, 33]],
      [{ fetch: "take", memoryBudget: 1 << 20, shuffle: false }, [43, 33]],
    ])("and the next one cost at most as many requests as they did: %o", async (options, most) => {
      const reads = await readsOf(options);
      const kept = reads.every((count, epoch) => count <= (most[epoch] ?? 0));
      expect(kept, `${reads} requests`).toBe(true);
    });

    test("would cost more if rows that lie near each other were read one by one", async () => {
      const apart = store.table("wide", { block_size: "4096" });
      const [first = 0] = await readsOf({ fetch: "take", memoryBudget: 1 << 20 }, apart);
      expect(first).toBeGreaterThan(900);
    });
  });
}
