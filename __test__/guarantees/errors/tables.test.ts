import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, readIds } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const path = await writeIds(folder, "ids", 20);

describe("a place without a table is an error that names it and the way out:", () => {
  test("one where nothing is", async () => {
    const absent = join(folder, "absent.lance");
    const error = await failure(() => StreamingDataset.open(absent), "TABLE_NOT_FOUND", absent, "name.lance");
    expect(error.cause).toBeInstanceOf(Error);
  });

  test("the folder of a database", async () => {
    await failure(() => StreamingDataset.open(folder), "TABLE_NOT_FOUND", folder, "name.lance");
  });

  test("an empty folder, and a file", async () => {
    mkdirSync(join(folder, "empty.lance"));
    await failure(() => StreamingDataset.open(join(folder, "empty.lance")), "TABLE_NOT_FOUND", "empty.lance");
    writeFileSync(join(folder, "file.lance"), "no table");
    const error = await StreamingDataset.open(join(folder, "file.lance")).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "LanceLoaderError", message: expect.stringContaining("file.lance") });
  });

  test("a scheme that nobody knows", async () => {
    const error = await StreamingDataset.open("ftp2://host/ids.lance").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: "LanceLoaderError",
      message: expect.stringContaining("ftp2://host/ids.lance"),
    });
  });
});

describe("columns that can't be read are refused:", () => {
  test("an unknown one, with the nearest names", async () => {
    const open = () => StreamingDataset.open(path, { columns: ["id", "nam"] });
    await failure(open, "UNKNOWN_COLUMN", '"nam"', '"name"');
  });

  test("one in other letters", async () => {
    await failure(() => StreamingDataset.open(path, { columns: ["ID"] }), "UNKNOWN_COLUMN", '"ID"', '"id"');
  });

  test("one that stands twice", async () => {
    await failure(
      () => StreamingDataset.open(path, { columns: ["id", "id"] }),
      "INVALID_ARGUMENT",
      "columns",
      '"id"',
    );
  });

  test("none at all", async () => {
    await failure(() => StreamingDataset.open(path, { columns: [] }), "INVALID_ARGUMENT", "columns");
  });
});

describe("a filter that can't be used is refused by naming it:", () => {
  const filters = [
    "id >",
    "id = = 3",
    "(id = 3",
    "nmae = 'row 3'",
    "id + 1",
    "name > 3 AND",
    "sum(id) > 3",
    "id = 3; DROP TABLE ids",
    "no_such_function(id)",
    "'",
  ];
  test.each(filters)("%s", async (filter) => {
    await failure(
      () => StreamingDataset.open(path, { filter }),
      "INVALID_FILTER",
      JSON.stringify(filter).slice(1, -1),
      "SQL",
    );
  });
});

describe("fetch memory", () => {
  test("says so where the columns do not fit the budget, and auto takes instead", async () => {
    await using dataset = await StreamingDataset.open(path, { fetch: "memory", memoryBudget: 100 });
    await failure(() => readIds(dataset), "INVALID_ARGUMENT", "memoryBudget", "100");
    expect(dataset.stateDict().samples_consumed_per_split).toEqual([0]);
    expect(await epochIds(path, { fetch: "auto", memoryBudget: 100, shuffle: false })).toEqual(range(0, 20));
  });
});
