import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, idsOf } from "../../support/reading.ts";
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
    "id > 3 LIMIT 5",
    "id > 3 ORDER BY id",
    "id > 3 GROUP BY id",
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

test("a filter may have lines, comments and quoted columns", async () => {
  const filter = "id > 3 -- not the first ones\n AND `name` <> 'row 7' -- nor this one";
  expect(await epochIds(path, { filter, shuffle: false })).toEqual([4, 5, 6, ...range(8, 20)]);
});

describe("fetch memory", () => {
  test("says so where the columns do not fit the budget, and auto takes instead", async () => {
    const options = { memoryBudget: 100, shuffle: false, readBatchSize: 5 } as const;
    await using dataset = await StreamingDataset.open(path, { ...options, fetch: "memory" });
    const ids: number[] = [];
    const read = async () => {
      for await (const batch of dataset.batches(5)) ids.push(...idsOf(batch));
    };
    await failure(read, "INVALID_ARGUMENT", "memoryBudget", "100");
    // The first window comes by a take, so that nobody waits for the scan to see a first batch.
    expect(ids).toEqual(range(0, 5));
    expect(dataset.stateDict().samples_consumed_per_split).toEqual([5]);
    expect(await epochIds(path, { ...options, fetch: "auto" }, 5)).toEqual(range(0, 20));
  });
});
