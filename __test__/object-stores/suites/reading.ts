import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions, type TableLocation } from "../../../src/index.ts";
import { reportOf } from "../../process/support/child.ts";
import { epochIds, readIds, readSome } from "../../support/reading.ts";
import { throughJson } from "../../support/states.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { environmentOf } from "../support/seaweedfs.ts";
import type { TestStore } from "../support/store.ts";

const rows = 1000;
const shape = { fragments: 3, deleted: "id % 10 = 3" };
const program = new URL("../children/environment.ts", import.meta.url);

/** A table in an object store is read as the same table on disk is. */
export function describeReading(store: TestStore): void {
  describe("a table in an object store", () => {
    const folder = tempFolder();
    let local = "";
    let remote: TableLocation;

    beforeAll(async () => {
      [local, remote] = await Promise.all([
        writeIds(folder, "reading", rows, shape),
        store.writeIds("reading", rows, shape),
      ]);
    });

    test.each<StreamingDatasetOptions>([
      { fetch: "memory" },
      { fetch: "take", memoryBudget: 4096 },
      { fetch: "scratch", memoryBudget: 16 << 10, scratchDir: folder },
      { fetch: "auto", numSplits: 7, shuffleClumpSize: 5 },
      { fetch: "auto", shuffle: false, filter: "id > 500" },
    ])("gives the order of the same table on disk: %o", async (options) => {
      const expected = await epochIds(local, options);
      expect(expected.length).toBeGreaterThan(300);
      await using dataset = await StreamingDataset.open(remote, options);
      expect(await readIds(dataset)).toEqual(expected);
      expect(store.proxy.dataReads.length).toBeGreaterThan(0);
    });

    test("resumes from a state", async () => {
      const whole = await epochIds(local, { numSplits: 4 });
      await using first = await StreamingDataset.open(remote, { numSplits: 4 });
      const before = await readSome(first, 333);
      await using second = await StreamingDataset.open(remote, { state: throughJson(first.stateDict()) });
      expect([...before, ...(await readIds(second))]).toEqual(whole);
    });

    test("stays at its version while others write to it", async () => {
      const growing = await store.writeIds("growing", 50);
      await using dataset = await StreamingDataset.open(growing, { fetch: "take" });
      const before = await readSome(dataset, 10);
      const { connect } = await import("@lancedb/lancedb");
      const table = await (await connect(store.database, { storageOptions: store.direct })).openTable(
        "growing",
      );
      await table.delete("id < 25");
      expect(new Set([...before, ...(await readIds(dataset))]).size).toBe(50);
    });

    test("is opened with the credentials of the environment", async () => {
      const env = environmentOf(store.options);
      const uri = String(remote.uri);
      expect(await reportOf(program, [uri], { env })).toEqual(await epochIds(local, {}));
      const wrong = { ...env, AWS_SECRET_ACCESS_KEY: "another" };
      expect(await reportOf(program, [uri], { env: wrong })).toBe("READ_FAILED");
    });
  });
}
