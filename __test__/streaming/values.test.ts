import { connect } from "@lancedb/lancedb";
import * as arrow from "apache-arrow";
import { describe, expect, test } from "vitest";
import { StreamingDataset } from "../../src/index.ts";
import { arrowTable } from "../arrow/support/arrow-table.ts";
import type { ModelValue } from "../arrow/support/model.ts";
import type { Spec } from "../arrow/support/spec.ts";
import { failure } from "../support/errors.ts";
import { known } from "../support/known.ts";
import { collect, readBatches, withDataset } from "../support/reading.ts";
import { range, tablePath, writeIds, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
let tables = 0;

/** A table of one column `x`, read as one batch in storage order. */
async function stored(spec: Spec, column: readonly ModelValue[]) {
  const name = `x-${tables++}`;
  await writeTable(folder, name, [
    arrowTable(arrow, { specs: { x: spec }, rows: column.map((x) => ({ x })) }),
  ]);
  await using dataset = await StreamingDataset.open(tablePath(folder, name), { shuffle: false });
  const { value } = await dataset.batches(column.length).next();
  const batch = known(value);
  return { batch, x: batch.rows().map((row) => row["x"]) };
}

const float32: Spec = { kind: "float", bits: 32 };
const int32: Spec = { kind: "int", signed: true, bits: 32 };

describe("values that loaders get wrong", () => {
  test("fixed-size lists beside a null one", async () => {
    const { x, batch } = await stored({ kind: "fixed-list", size: 3, item: float32 }, [[1, 2, 3], null]);
    expect(x).toEqual([Float32Array.of(1, 2, 3), null]);
    await failure(() => batch.tensor("x"), "INVALID_ARGUMENT", "nulls");
  });

  test("a null among integers, which is no 0", async () => {
    const { x, batch } = await stored(int32, [1, null, 3]);
    expect(x).toEqual([1, null, 3]);
    await failure(() => batch.column("x"), "INVALID_ARGUMENT", "nulls (1 in this batch)");
  });

  test("a decimal(18, 3) of -1.5", async () => {
    const { x } = await stored({ kind: "decimal", bits: 128, scale: 3 }, ["-1.500"]);
    expect(x).toEqual(["-1.500"]);
  });

  test("an int64 that no number holds", async () => {
    const { x, batch } = await stored({ kind: "int", signed: true, bits: 64 }, [9007199254740993n]);
    expect(x).toEqual([9007199254740993n]);
    expect(batch.column("x")).toEqual(BigInt64Array.of(9007199254740993n));
  });

  test("a batch sliced at an offset that is no multiple of 8, which keeps its nulls", async () => {
    const column = range(0, 40).map((row) => (row % 5 === 0 ? null : row));
    const { batch } = await stored(int32, column);
    for (const start of [1, 7, 8, 9, 13]) {
      const slice = batch.slice(start, start + 11);
      expect(slice.rows().map((row) => row["x"])).toEqual(column.slice(start, start + 11));
      expect(Array.from(slice.toArrow().getChild("x") ?? [])).toEqual(column.slice(start, start + 11));
    }
  });

  test("a column that is null throughout", async () => {
    const { x } = await stored({ kind: "utf8" }, [null, null, null]);
    expect(x).toEqual([null, null, null]);
  });

  test("strings of every length, with a byte order mark and beyond the first plane", async () => {
    const column = ["", "a", "\ufeffé", "🗂️".repeat(40), "x".repeat(70_000), "\0"];
    expect((await stored({ kind: "utf8" }, column)).x).toEqual(column);
  });

  test("float16, decoded in rows and as bits in a tensor", async () => {
    const { x, batch } = await stored({ kind: "float", bits: 16 }, [1, -2, 2 ** -24]);
    expect(x).toEqual([1, -2, 2 ** -24]);
    expect(batch.tensor("x")).toEqual({
      dtype: "float16",
      shape: [3],
      data: Uint16Array.of(0x3c00, 0xc000, 1),
    });
  });
});

describe("a column of vectors is one typed array with a shape", () => {
  const vectors = range(0, 10).map((row) => [row, row + 0.5, -row]);

  test("of all rows of the batch", async () => {
    const { batch } = await stored({ kind: "fixed-list", size: 3, item: float32 }, vectors);
    expect(batch.tensor("x")).toEqual({
      dtype: "float32",
      shape: [10, 3],
      data: Float32Array.from(vectors.flat()),
    });
  });

  test("of the rows of a slice, in the same memory", async () => {
    const { batch } = await stored({ kind: "fixed-list", size: 3, item: float32 }, vectors);
    const slice = batch.slice(2, 5).tensor("x");
    expect(slice).toMatchObject({ shape: [3, 3], data: Float32Array.from(vectors.slice(2, 5).flat()) });
    expect(slice.data.buffer).toBe(batch.tensor("x").data.buffer);
  });
});

test("all columns of a batch lie in one block of memory, lent or copied", async () => {
  const path = await writeIds(folder, "block", 20);
  for (const lendBuffers of [true, false]) {
    await withDataset(path, { lendBuffers }, async (dataset) => {
      const { value: batch } = await dataset.batches(20).next();
      const ids = batch?.vector("id").data[0]?.values as Int32Array;
      const offsets = batch?.vector("name").data[0]?.valueOffsets as Int32Array;
      expect(ids.buffer).toBe(offsets.buffer);
      expect(batch?.numBytes).toBe(ids.buffer.byteLength);
    });
  }
});

describe("columns come in the order in which they are selected", () => {
  test("with the row id among them", async () => {
    const path = await writeIds(folder, "selected", 6, { fragments: 2 });
    const options = { columns: ["_rowid", "id"], shuffle: false } as const;
    await withDataset(path, options, async (dataset) => {
      expect(dataset.columnNames).toEqual(["_rowid", "id"]);
      const { value: batch } = await dataset.batches(6).next();
      const second = 2n ** 32n;
      const rowIds = [0n, 1n, 2n, second, second + 1n, second + 2n];
      expect(batch?.column("_rowid")).toEqual(BigUint64Array.from(rowIds));
      expect(batch?.rows()).toEqual(rowIds.map((_rowid, id) => ({ _rowid, id })));
      expect(Object.keys(batch?.row(0) ?? {})).toEqual(["_rowid", "id"]);
    });
  });

  test("the row ids are those that LanceDB tells, also stable ones", async () => {
    for (const stableRowIds of [false, true]) {
      const name = `row-ids-${stableRowIds}`;
      const deleted = "id % 5 = 1";
      await writeIds(folder, name, 40, { fragments: 3, deleted, stableRowIds });
      const table = await (await connect(folder)).openTable(name);
      await table.optimize();
      const told = await table.query().withRowId().select(["id"]).toArray();
      const byId = new Map(told.map((row) => [row["id"] as number, BigInt(row["_rowid"])]));
      for (const columns of [
        ["_rowid", "id"],
        ["id", "_rowid"],
      ]) {
        await withDataset(tablePath(folder, name), { columns, shuffleSeed: 6 }, async (dataset) => {
          let rows = 0;
          for await (const sample of dataset) {
            expect(sample["_rowid"]).toBe(byId.get(sample["id"] as number));
            rows++;
          }
          expect(rows).toBe(told.length);
        });
      }
    }
  });

  test("the row id alone", async () => {
    const path = await writeIds(folder, "only-row-ids", 5);
    await withDataset(path, { columns: ["_rowid"], shuffle: false }, async (dataset) => {
      const rows = await collect(dataset);
      expect(rows).toEqual(range(0, 5).map((row) => ({ _rowid: BigInt(row) })));
    });
  });
});

test("dictionary strings of different fragments are those of each batch, also of one that is held", async () => {
  const spec: Spec = { kind: "dictionary", bits: 8, value: { kind: "utf8" } };
  const parts = [
    ["a", "b", "a"],
    ["c", "c", null],
    ["b", "c", "b"],
  ].map((part) => arrowTable(arrow, { specs: { x: spec }, rows: part.map((x) => ({ x })) }));
  await writeTable(folder, "dictionaries", parts);
  for (const fetch of ["memory", "take"] as const) {
    const options = { shuffle: false, fetch, readBatchSize: 3 };
    await withDataset(tablePath(folder, "dictionaries"), options, async (dataset) => {
      const held = await collect(dataset.batches(3));
      const read = held.map((batch) => batch.rows().map((row) => row["x"]));
      expect(read).toEqual([
        ["a", "b", "a"],
        ["c", "c", null],
        ["b", "c", "b"],
      ]);
    });
  }
});

describe("an empty table", () => {
  test("has too few rows, whatever the splits", async () => {
    const path = await writeIds(folder, "empty", 3, { deleted: "id >= 0" });
    await failure(() => StreamingDataset.open(path), "TOO_FEW_ROWS", "0 rows");
  });
});

test("the same rows come in batches of every size", async () => {
  const path = await writeIds(folder, "sizes", 33, { fragments: 4 });
  await withDataset(path, { shuffleSeed: 2 }, async (dataset) => {
    const whole = (await readBatches(dataset, 33)).flat();
    for (const size of [1, 2, 5, 32, 34]) {
      dataset.setEpoch(0);
      expect((await readBatches(dataset, size)).flat()).toEqual(whole);
    }
  });
});
