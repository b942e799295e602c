import { connect } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import { failure } from "../../support/errors.ts";
import { epochIds, sorted, withDataset } from "../../support/reading.ts";
import { range, tablePath, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const options = { shuffleSeed: 4, numSplits: 3 };
const kept = range(0, 120).filter((id) => id % 3 === 1);
let orderOfKept: number[];

beforeAll(async () => {
  const plain = await writeIds(folder, "plain", kept.length);
  orderOfKept = (await epochIds(plain, options)).map((index) => kept[index] ?? -1);
});

describe("the order is that of the rows which are there, whatever else the table holds:", () => {
  test("rows that a filter leaves out", async () => {
    const path = await writeIds(folder, "filtered", 120);
    expect(await epochIds(path, { ...options, filter: "id % 3 = 1" })).toEqual(orderOfKept);
  });

  test("deleted rows", async () => {
    const path = await writeIds(folder, "deleted", 120, { deleted: "id % 3 <> 1" });
    expect(await epochIds(path, options)).toEqual(orderOfKept);
  });

  test("both, in several fragments", async () => {
    const path = await writeIds(folder, "both", 120, { fragments: 7, deleted: "id % 3 = 0" });
    expect(await epochIds(path, { ...options, filter: "id % 3 <> 2" })).toEqual(orderOfKept);
  });

  test("stable row ids", async () => {
    const path = await writeIds(folder, "stable", 120, {
      fragments: 4,
      deleted: "id % 3 <> 1",
      stableRowIds: true,
    });
    expect(await epochIds(path, options)).toEqual(orderOfKept);
  });
});

test("a fragment that lost all its rows is passed over", async () => {
  const path = await writeIds(folder, "emptied", 30, { fragments: 3, deleted: "id >= 10 AND id < 20" });
  expect(await epochIds(path, { shuffle: false })).toEqual([...range(0, 10), ...range(20, 30)]);
});

test("the order does not depend on how the rows lie in fragments", async () => {
  const orders = [];
  for (const fragments of [1, 2, 9]) {
    const path = await writeIds(folder, `fragments-${fragments}`, 90, { fragments });
    orders.push(await epochIds(path, options));
  }
  expect(orders[1]).toEqual(orders[0]);
  expect(orders[2]).toEqual(orders[0]);
});

describe("a filter", () => {
  test("keeps the rows for which it is true, and not those for which it is null", async () => {
    const database = await connect(folder);
    await database.createTable("nulls", [
      { id: 0, weight: 1.5 },
      { id: 1, weight: null },
      { id: 2, weight: 7 },
      { id: 3, weight: 9 },
    ]);
    const ids = (filter: string) => epochIds(tablePath(folder, "nulls"), { filter });
    expect(sorted(await ids("weight > 2"))).toEqual([2, 3]);
    expect(sorted(await ids("NOT (weight > 2)"))).toEqual([0]);
    expect(await ids("weight IS NULL")).toEqual([1]);
  });

  test("may name columns that are not read", async () => {
    const path = await writeIds(folder, "other-columns", 10);
    const ids = await epochIds(path, { columns: ["id"], filter: "name IN ('row 3', 'row 8')" });
    expect(sorted(ids)).toEqual([3, 8]);
  });

  test("uses a scalar index of the table and gives the same order", async () => {
    await writeIds(folder, "indexed", 120, { fragments: 2 });
    const path = tablePath(folder, "indexed");
    const without = await epochIds(path, { filter: "id >= 40 AND id < 80" });
    const table = await (await connect(folder)).openTable("indexed");
    await table.createIndex("id");
    expect(await epochIds(path, { filter: "id >= 40 AND id < 80" })).toEqual(without);
    expect(sorted(without)).toEqual(range(40, 80));
  });

  test("that matches nothing is the same error on every rank", async () => {
    const path = await writeIds(folder, "nothing", 20);
    const messages = [];
    for (const rank of range(0, 4)) {
      const open = () => withDataset(path, { filter: "id > 100", worldSize: 4, rank }, () => undefined);
      messages.push((await failure(open, "TOO_FEW_ROWS", "0 rows", "4 splits")).message);
    }
    expect(new Set(messages).size).toBe(1);
  });
});
