import { cpSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { connect } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset, type TableSource } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { readIds, readSome } from "../support/reading.ts";
import { idRows, range, tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const stored = { shuffle: false } as const;
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 12);
});

async function idsIn(source: TableSource, options: object = {}): Promise<number[]> {
  await using dataset = await StreamingDataset.open(source, { ...stored, ...options });
  return await readIds(dataset);
}

describe("a table is opened by", () => {
  const sources: [string, () => TableSource][] = [
    ["a path", () => path],
    ["a path with a slash at its end", () => `${path}/`],
    ["a relative path", () => relative(process.cwd(), path)],
    ["a file URL", () => pathToFileURL(path)],
    ["a file URL as a string", () => pathToFileURL(path).href],
    ["{ uri }", () => ({ uri: path })],
    ["{ uri } with a URL", () => ({ uri: pathToFileURL(path) })],
    ["{ uri, storageOptions }", () => ({ uri: path, storageOptions: { timeout: "30s" } })],
  ];
  test.each(sources)("%s", async (_, source) => {
    expect(await idsIn(source())).toEqual(range(0, 12));
  });

  test.each(["with spaces", "hundred%20percent", "größe-表-🗂", "a#b?c&d", "it's"])(
    "a path in a folder %s",
    async (name) => {
      const odd = await writeIds(join(folder, name), "ids", 5);
      expect(await idsIn(odd)).toEqual(range(0, 5));
      expect(await idsIn(pathToFileURL(odd))).toEqual(range(0, 5));
      const table = await (await connect(join(folder, name))).openTable("ids");
      expect(await idsIn(table)).toEqual(range(0, 5));
    },
  );

  test("storage options beside it", async () => {
    expect(await idsIn(path, { storageOptions: { timeout: "30s" } })).toEqual(range(0, 12));
  });
});

describe("an open table of LanceDB", () => {
  test("is read at the version at which it stands", async () => {
    await writeIds(folder, "open", 6);
    const table = await (await connect(folder)).openTable("open");
    await table.add(idRows(6, 9));
    expect(await idsIn(table)).toEqual(range(0, 9));
    await table.checkout(1);
    expect(await idsIn(table)).toEqual(range(0, 6));
    await table.checkoutLatest();
    expect(await idsIn(table)).toEqual(range(0, 9));
    expect(await idsIn(table, { version: 1 })).toEqual(range(0, 6));
  });

  test("is read on at that version when it moves on or is closed", async () => {
    await writeIds(folder, "moving", 6);
    const table = await (await connect(folder)).openTable("moving");
    await using dataset = await StreamingDataset.open(table, stored);
    expect(await readSome(dataset, 2)).toEqual([0, 1]);
    await table.add(idRows(6, 9));
    await table.delete("id = 3");
    table.close();
    expect(await readIds(dataset)).toEqual([2, 3, 4, 5]);
    expect(await readIds(dataset)).toEqual(range(0, 6));
  });

  test("that was closed is refused", async () => {
    const table = await (await connect(folder)).openTable("ids");
    table.close();
    await failure(() => StreamingDataset.open(table), "UNSUPPORTED_SOURCE", "closed", "openTable()");
  });

  test("in memory is refused with the way out", async () => {
    const database = await connect("memory://");
    const table = await database.createTable("fleeting", [{ id: 1 }]);
    const open = () => StreamingDataset.open(table);
    await failure(open, "UNSUPPORTED_SOURCE", '"fleeting"', "memory://", "{ uri, storageOptions }");
  });

  test("is opened on its branch", async () => {
    await writeIds(folder, "branched", 4);
    const main = await (await connect(folder)).openTable("branched");
    const branch = await (await main.branches()).create("trial");
    await branch.add(idRows(4, 6));
    expect(await idsIn(branch)).toEqual(range(0, 6));
    expect(await idsIn(main)).toEqual(range(0, 4));
    expect(await idsIn(tablePath(folder, "branched"), { branch: "trial" })).toEqual(range(0, 6));
    await failure(() => idsIn(branch, { branch: "main2" }), "INVALID_ARGUMENT", "main2", "trial");
    await using dataset = await StreamingDataset.open(branch, stored);
    await readSome(dataset, 3);
    expect(await idsIn(tablePath(folder, "branched"), { state: dataset.stateDict() })).toEqual([3, 4, 5]);
  });
});

describe("what is no source is refused:", () => {
  test.each([null, undefined, 5, "", [], {}, () => path, { uri: "" }, { uri: 5 }, Symbol("table")])(
    "%o",
    async (source) => {
      await failure(() => StreamingDataset.open(source as never), "INVALID_ARGUMENT", "source");
    },
  );

  test("storage options that are no strings", async () => {
    for (const storageOptions of [null, "key", { key: 5 }, { key: undefined }]) {
      const open = () => StreamingDataset.open({ uri: path, storageOptions } as never);
      await failure(open, "INVALID_ARGUMENT", "storageOptions");
    }
  });

  test("and a secret in storage options is never told", async () => {
    const storageOptions = { secret_access_key: "hunter2" };
    const error = await failure(
      () => StreamingDataset.open({ uri: join(folder, "absent.lance"), storageOptions }),
      "TABLE_NOT_FOUND",
    );
    expect(`${error.message} ${error.stack} ${error.cause}`).not.toContain("hunter2");
  });
});

test("data that was moved or copied is the same table", async () => {
  const from = await writeIds(join(folder, "from"), "ids", 10);
  await using dataset = await StreamingDataset.open(from, stored);
  await readSome(dataset, 4);
  const state = dataset.stateDict();
  cpSync(from, join(folder, "copied.lance"), { recursive: true });
  expect(await idsIn(join(folder, "copied.lance"), { state })).toEqual(range(4, 10));
  await dataset.close();
  renameSync(from, join(folder, "moved.lance"));
  expect(await idsIn(join(folder, "moved.lance"), { state })).toEqual(range(4, 10));
});
