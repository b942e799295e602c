import { Int64, Table, vectorFromArray } from "apache-arrow";
import { beforeAll, describe, expect, test } from "vitest";
import { type Batch, Permutation, permutationBuilder } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect, idOf } from "../support/reading.ts";
import { range, tablePath, writeIds, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
let path: string;
let values: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 20, { fragments: 3 });
  const v = vectorFromArray([20n, 30n, 40n], new Int64());
  await writeTable(folder, "values", [new Table({ v })]);
  values = tablePath(folder, "values");
});

async function idsOf(permutation: AsyncIterable<Record<string, unknown>>): Promise<number[]> {
  return (await collect(permutation)).map((row) => idOf(row as never));
}

describe("takeOffsets", () => {
  test("gives rows in the order asked for, repeats included", async () => {
    const identity = await Permutation.identity(values);
    const rows = await identity.takeOffsets([2, 0, 0, 2]);
    expect(rows.map(({ v }) => v)).toEqual([40n, 20n, 20n, 40n]);
  });

  test("of no offsets gives no rows and the right schema", async () => {
    const identity = await Permutation.identity(path);
    expect(await identity.takeOffsets([])).toEqual([]);
    const table = await identity.withFormat("arrow").takeOffsets([]);
    expect([table.numRows, String(table.schema)]).toEqual([0, String(identity.schema)]);
  });

  test.each([[[20]], [[-1]], [[0.5]], [["1"]], [[Number.NaN]]])("refuses %j", async (offsets) => {
    const identity = await Permutation.identity(path);
    await failure(() => identity.takeOffsets(offsets as number[]), "INVALID_ARGUMENT", "offsets[0]");
  });
});

describe("a view", () => {
  test("skips, takes and repeats in the order asked for, and changes nothing else", async () => {
    const identity = await Permutation.identity(path);
    expect(await idsOf(identity.withSkip(17).withRepeat(2).withTake(5))).toEqual([17, 18, 19, 17, 18]);
    expect(await idsOf(identity.withTake(3).withSkip(1).withTake(9))).toEqual([1, 2]);
    expect(await idsOf(identity.withSkip(99))).toEqual([]);
    expect(identity.withRepeat(3).numRows).toBe(60);
    expect(await idsOf(identity)).toEqual(range(0, 20));
  });

  test("selects, removes and renames columns, row ids included", async () => {
    const identity = await Permutation.identity(path);
    const selected = identity.selectColumns(["_rowid", "name"]);
    expect(selected.columnNames).toEqual(["_rowid", "name"]);
    expect(Object.entries((await selected.takeOffsets([1]))[0] ?? {})).toEqual([
      ["_rowid", 1n],
      ["name", "row 1"],
    ]);
    const renamed = selected.renameColumns({ name: "_rowid", _rowid: "name" });
    expect(await renamed.takeOffsets([1])).toEqual([{ name: 1n, _rowid: "row 1" }]);
    expect(renamed.removeColumns(["name"]).columnNames).toEqual(["_rowid"]);
    expect(renamed.schema.fields.map(({ name }) => name)).toEqual(renamed.columnNames);
    expect(identity.columnNames).toEqual(["id", "name"]);
  });

  test("hands over rows, columns, Arrow tables, or what a transform makes", async () => {
    const two = (await Permutation.identity(path)).withTake(2).selectColumns(["id"]);
    expect(await two.takeOffsets([0, 1])).toEqual([{ id: 0 }, { id: 1 }]);
    expect(await two.withFormat("columns").takeOffsets([1, 0])).toEqual({ id: [1, 0] });
    expect((await two.withFormat("arrow").takeOffsets([1])).toArray().map(String)).toEqual(['{"id": 1}']);
    const doubled = two.withTransform(async (batch: Batch) => batch.rows().map((row) => idOf(row) * 2));
    expect(await collect(doubled)).toEqual([0, 2]);
    const failing = two.withTransform(() => {
      throw new RangeError("no");
    });
    await expect(collect(failing.iter())).rejects.toThrow(RangeError);
  });

  test("comes in batches, the last one short or left out", async () => {
    const built = await permutationBuilder(values).bootstrapSample({ numSamples: 1000, fixed: 1 }).execute();
    const draws = await Permutation.fromTables(values, built);
    const lengths = async (options: object) =>
      (await collect(draws.iter({ batchSize: 64, ...options }))).map(({ length }) => length);
    expect(await lengths({})).toEqual([...new Array(15).fill(64), 40]);
    expect(await lengths({ skipLastBatch: true })).toEqual(new Array(15).fill(64));
  });

  test("may be left early and read again", async () => {
    const identity = await Permutation.identity(path);
    for await (const row of identity) if (idOf(row) === 3) break;
    expect(await idsOf(identity)).toEqual(range(0, 20));
  });

  test("of what does not exist is refused with the reason", async () => {
    const identity = await Permutation.identity(path);
    await failure(() => identity.selectColumns(["nmae"]), "UNKNOWN_COLUMN", '"name"');
    await failure(() => identity.selectColumns([]), "INVALID_ARGUMENT", "names");
    await failure(() => identity.selectColumns(["id", "id"]), "INVALID_ARGUMENT", '"id"');
    await failure(() => identity.removeColumns(["id", "name"]), "INVALID_ARGUMENT", "left");
    await failure(() => identity.removeColumns(["_rowid"]), "UNKNOWN_COLUMN", '"_rowid"');
    await failure(() => identity.renameColumns({ id: "name" }), "INVALID_ARGUMENT", "name");
    await failure(() => identity.withRepeat(0), "INVALID_ARGUMENT", "times");
    await failure(() => identity.withFormat("python" as never), "INVALID_ARGUMENT", "format");
    await failure(() => identity.iter({ batchSize: 0 }), "INVALID_ARGUMENT", "batchSize");
    await failure(() => Permutation.fromTables(values, path, "x"), "INVALID_ARGUMENT");
    const built = await permutationBuilder(path)
      .splitRandom({ fixed: 2, splitNames: ["train", "val"] })
      .execute();
    await failure(() => Permutation.fromTables(path, built, "vla"), "INVALID_ARGUMENT", '"val"');
    await failure(() => Permutation.fromTables(path, built, 2), "INVALID_ARGUMENT", "from 0 to 1");
  });
});
