import { connect, type Table } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { epochIds, readIds, readSome, withDataset } from "../support/reading.ts";
import { idRows, range, tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const stored = { shuffle: false } as const;
let table: Table;
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 10);
  table = await (await connect(folder)).openTable("ids");
  await table.add(idRows(10, 15));
  await table.delete("id = 2");
});

describe("a dataset reads", () => {
  test("the newest version by default", async () => {
    await withDataset(path, stored, async (dataset) => {
      expect(dataset.version).toBe(3);
      expect(await readIds(dataset)).toEqual(range(0, 15).filter((id) => id !== 2));
    });
  });

  test("the version that is asked for", async () => {
    expect(await epochIds(path, { ...stored, version: 1 })).toEqual(range(0, 10));
    expect(await epochIds(path, { ...stored, version: 2 })).toEqual(range(0, 15));
  });

  test("its version in every epoch, whatever is written meanwhile", async () => {
    const growing = await writeIds(folder, "growing", 8);
    const writer = await (await connect(folder)).openTable("growing");
    for (const fetch of ["memory", "take"] as const) {
      await withDataset(growing, { ...stored, fetch, version: 1 }, async (dataset) => {
        const ids = await readSome(dataset, 3);
        await writer.add(idRows(8, 12));
        await writer.delete("id = 5");
        await writer.optimize();
        expect([...ids, ...(await readIds(dataset))]).toEqual(range(0, 8));
        expect(await readIds(dataset)).toEqual(range(0, 8));
      });
    }
    expect((await epochIds(growing, stored)).length).toBe(15);
  });
});

test("a table that lost rows, but no file, is another one to a state of its older version", async () => {
  const state = await withDataset(path, { ...stored, version: 2 }, async (dataset) => {
    await readSome(dataset, 4);
    return dataset.stateDict();
  });
  await failure(
    () => StreamingDataset.open(path, { ...stored, version: 3, state }),
    "STATE_MISMATCH",
    "table_version",
  );
  expect(await epochIds(path, { ...stored, state })).toEqual(range(4, 15));
});

describe("a version that", () => {
  test("was never written is an error that names it and says how to keep one", async () => {
    const open = () => StreamingDataset.open(path, { version: 99 });
    await failure(open, "VERSION_NOT_FOUND", "version 99", "ids.lance", "tag");
  });

  test("was cleaned up is the same error, also for a state", async () => {
    await writeIds(folder, "cleaned", 10);
    const cleaned = await (await connect(folder)).openTable("cleaned");
    const state = await withDataset(tablePath(folder, "cleaned"), {}, (dataset) => dataset.stateDict());
    await cleaned.add(idRows(10, 20));
    await cleaned.optimize({ cleanupOlderThan: new Date(), deleteUnverified: true });
    for (const options of [{ version: 1 }, { state }]) {
      const open = () => StreamingDataset.open(tablePath(folder, "cleaned"), options);
      await failure(open, "VERSION_NOT_FOUND", "version 1", "tag");
    }
    expect(await epochIds(tablePath(folder, "cleaned"), stored)).toEqual(range(0, 20));
  });

  test.each([0, -1, 1.5, Number.NaN, "1", 1n])("is %o is refused", async (version) => {
    const open = () => StreamingDataset.open(path, { version } as never);
    await failure(open, "INVALID_ARGUMENT", "version", String(version));
  });
});

test("a branch that does not exist is an error that names it, with and without a version", async () => {
  for (const options of [{}, { version: 1 }]) {
    const open = () => StreamingDataset.open(path, { branch: "absent", ...options });
    await failure(open, "VERSION_NOT_FOUND", "no branch", '"absent"');
  }
});

test("a table that does not exist is no missing version, whatever version is asked for", async () => {
  const state = await withDataset(path, stored, (dataset) => dataset.stateDict());
  for (const options of [{ version: 1 }, { state }]) {
    const open = () => StreamingDataset.open(tablePath(folder, "absent"), options);
    await failure(open, "TABLE_NOT_FOUND", "absent.lance");
  }
});
