import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import { describeTable } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 90, { fragments: 3, deleted: "id < 5 or id = 40" });
});

describe("a description of a table tells", () => {
  test("its fragments with their live and deleted rows and the bytes of their files", async () => {
    const table = await describeTable(path);
    expect(table).toMatchObject({ uri: path, version: 4, branch: null, numRows: 84, stableRowIds: false });
    const rows = table.fragments.map(({ rows, deleted, files }) => [rows, deleted, files]);
    expect(rows).toEqual([
      [25, 5, 1],
      [29, 1, 1],
      [30, 0, 1],
    ]);
    const files = readdirSync(join(path, "data")).map((name) => statSync(join(path, "data", name)).size);
    const sum = (numbers: readonly (number | undefined)[]) =>
      numbers.reduce<number>((all, one) => all + (one ?? 0), 0);
    expect(sum(table.fragments.map(({ bytes }) => bytes))).toBe(sum(files));
    expect(table.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual(["id Int32", "name Utf8"]);
  });

  test("the version that is asked for, and that of an open table", async () => {
    expect(await describeTable(path, { version: 1 })).toMatchObject({ version: 1, numRows: 30 });
    const open = await (await connect(folder)).openTable("ids");
    await open.checkout(3);
    expect(await describeTable(open)).toMatchObject({ version: 3, numRows: 90 });
  });

  test("whether its rows keep their ids", async () => {
    const stable = await writeIds(folder, "stable", 10, { stableRowIds: true });
    expect((await describeTable(stable)).stableRowIds).toBe(true);
  });

  test("what is wrong", async () => {
    await failure(() => describeTable(tablePath(folder, "nowhere")), "TABLE_NOT_FOUND", "nowhere.lance");
    await failure(() => describeTable(path, { version: 0 }), "INVALID_ARGUMENT", "version is 0");
    await failure(() => describeTable(path, { version: 99 }), "VERSION_NOT_FOUND", "99");
    await failure(() => describeTable(path, { versoin: 1 } as object), "INVALID_ARGUMENT", "versoin");
  });
});
