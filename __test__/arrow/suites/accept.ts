import * as own from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptVector, isArrowTable, isArrowVector } from "../../../src/arrow/accept/accept.ts";
import { Batch } from "../../../src/arrow/batch.ts";
import { arrowTable } from "../support/arrow-table.ts";
import { copies } from "../support/copies.ts";
import type { Model } from "../support/encode-layout.ts";
import { expectedRows, models } from "../support/models.ts";
import type { Arrow } from "../support/spec.ts";

const model: Model = {
  specs: {
    n: { kind: "int", signed: true, bits: 64 },
    t: { kind: "timestamp", unit: "ms" },
    w: { kind: "dictionary", bits: 8, value: { kind: "utf8" } },
    l: { kind: "list", item: { kind: "list", item: { kind: "float", bits: 32 } } },
  },
  rows: [
    { n: 1n, t: new Date(1), w: "a", l: [[1, 2], []] },
    { n: 2n, t: null, w: "b", l: null },
    { n: 3n, t: new Date(3), w: "a", l: [[3]] },
  ],
};

function listOf(arrow: Arrow, child: own.Data, offsets: number[]): own.Data {
  const type = new arrow.List(new arrow.Field("item", child.type, true));
  return arrow.makeData({
    type,
    length: offsets.length - 1,
    nullCount: 0,
    valueOffsets: Int32Array.from(offsets),
    child,
  });
}

function keyed(arrow: Arrow, type: own.Dictionary, dictionary: own.Vector, keys: number[]): own.Data {
  return arrow.makeData({ type, length: keys.length, nullCount: 0, data: Int8Array.from(keys), dictionary });
}

export function describeAccept(): void {
  describe.each(copies)("tables of %s of apache-arrow", (_, arrow) => {
    it("are accepted with equal data, in one record batch or in several", () => {
      const property = fc.property(models(), fc.array(fc.nat(20), { maxLength: 3 }), (model, cuts) => {
        const table = arrowTable(
          arrow,
          model,
          cuts.filter((cut) => cut < model.rows.length),
        );
        expect(Batch.fromArrow(table).rows()).toStrictEqual(expectedRows(model));
      });
      fc.assert(property, { numRuns: 150 });
    });

    it("are accepted with equal data when they were sliced before", () => {
      const property = fc.property(models(), fc.nat(20), fc.nat(20), (model, start, end) => {
        const { length } = model.rows;
        const [from, to] = [Math.min(start, end, length), Math.min(Math.max(start, end), length)];
        const [record] = arrowTable(arrow, model).batches;
        const slice = Batch.fromArrow(record?.slice(from, to) as own.RecordBatch);
        expect(slice.rows()).toStrictEqual(expectedRows(model).slice(from, to));
      });
      fc.assert(property, { numRuns: 150 });
    });

    it("become tables of our own copy with the same names and metadata", () => {
      const table = arrowTable(arrow, model);
      const { schema } = Batch.fromArrow(table);
      expect(schema).toBeInstanceOf(own.Schema);
      expect(schema.metadata).toStrictEqual(new Map([["origin", "test"]]));
      expect(String(schema)).toBe(String(table.schema));
      const read = own.tableFromIPC(own.tableToIPC(Batch.fromArrow(table).toArrow()));
      expect(Batch.fromArrow(read).rows()).toStrictEqual(expectedRows(model));
    });

    it("share the memory of a single record batch", () => {
      const table = arrowTable(arrow, model);
      expect(Batch.fromArrow(table).column("n").buffer).toBe(table.getChild("n")?.data[0]?.values.buffer);
    });

    it("made by its own functions are accepted", () => {
      const table = arrow.tableFromArrays({ id: Int32Array.of(1, 2, 3), word: ["b", "a", "b"] });
      const words = new arrow.List(new arrow.Field("item", new arrow.Utf8(), true));
      const lists = new arrow.List(new arrow.Field("item", words, true));
      const vectors = {
        flags: arrow.vectorFromArray([true, null]),
        lists: arrow.vectorFromArray([[["a"], []], null], lists),
      };
      expect(Batch.fromArrow(table).rows()).toStrictEqual([
        { id: 1, word: "b" },
        { id: 2, word: "a" },
        { id: 3, word: "b" },
      ]);
      expect(Batch.fromArrow(new arrow.Table(vectors)).rows()).toStrictEqual([
        { flags: true, lists: [["a"], []] },
        { flags: null, lists: null },
      ]);
    });

    it("without rows or record batches are accepted", () => {
      const empty = new arrow.Table(arrowTable(arrow, model).schema, []);
      expect([Batch.fromArrow(empty).numRows, Batch.fromArrow(empty).rows()]).toStrictEqual([0, []]);
    });

    it("may share one dictionary between columns, lists inside lists included", () => {
      const words = arrow.vectorFromArray(["a", "b", null, "a"]);
      const [data] = words.data;
      const inner = listOf(arrow, data as own.Data, [0, 1, 3, 4]);
      const outer = new arrow.Vector([listOf(arrow, inner, [0, 2, 2, 3, 3])]);
      const batch = Batch.fromArrow(new arrow.Table({ x: words, y: words, z: outer }));
      const z = [[["a"], ["b", null]], [], [["a"]], []];
      expect(batch.rows()).toStrictEqual(
        ["a", "b", null, "a"].map((word, at) => ({ x: word, y: word, z: z[at] })),
      );
      const read = own.tableFromIPC(own.tableToIPC(batch.toArrow()));
      expect(Batch.fromArrow(read).rows()).toStrictEqual(batch.rows());
    });

    it("may have a dictionary that grows from batch to batch", () => {
      const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8());
      const small = arrow.vectorFromArray(["a", "b"], new arrow.Utf8());
      const grown = small.concat(arrow.vectorFromArray(["c"], new arrow.Utf8()));
      const parts = [keyed(arrow, type, small, [1, 0]), keyed(arrow, type, grown, [2, 0])];
      const batch = Batch.fromArrow(new arrow.Table({ x: new arrow.Vector(parts) }));
      expect(batch.rows().map(({ x }) => x)).toStrictEqual(["b", "a", "c", "a"]);
      expect(batch.vector("x").type.indices.bitWidth).toBe(8);
    });

    it("may replace a dictionary from batch to batch", () => {
      const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8());
      const parts = [["a"], ["b", "a"]].map((words) =>
        keyed(
          arrow,
          type,
          arrow.vectorFromArray(words, new arrow.Utf8()),
          words.map((_, at) => at),
        ),
      );
      const batch = Batch.fromArrow(new arrow.Table({ x: new arrow.Vector(parts) }));
      expect(batch.rows().map(({ x }) => x)).toStrictEqual(["a", "b", "a"]);
    });

    it("have large strings and bytes delivered as plain ones", () => {
      const text = arrow.vectorFromArray(["a", null, "ccc"], new arrow.LargeUtf8()).slice(1);
      const bytes = arrow
        .vectorFromArray([Uint8Array.of(1), Uint8Array.of(), null], new arrow.LargeBinary())
        .slice(1);
      const batch = Batch.fromArrow(new arrow.Table({ text, bytes }));
      expect(batch.schema.fields.map(({ type }) => String(type))).toStrictEqual(["Utf8", "Binary"]);
      expect(batch.rows()).toStrictEqual([
        { text: null, bytes: new Uint8Array() },
        { text: "ccc", bytes: null },
      ]);
    });

    it("with a union column are refused, naming it", () => {
      const union = new arrow.SparseUnion([0], [new arrow.Field("i", new arrow.Int8())]);
      const schema = new arrow.Schema([new arrow.Field("u", union)]);
      expect(() => Batch.fromArrow(new arrow.Table(schema, []))).toThrow(
        expect.objectContaining({ code: "UNSUPPORTED_TYPE", message: expect.stringContaining('"u"') }),
      );
    });

    it("with a name twice are refused, naming it", () => {
      const fields = ["a", "a"].map((name) => new arrow.Field(name, new arrow.Int8()));
      expect(() => Batch.fromArrow(new arrow.Table(new arrow.Schema(fields), []))).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining('"a"') }),
      );
    });

    it("and its vectors are told from other objects", () => {
      const table = arrowTable(arrow, model, [1]);
      const vector = arrow.vectorFromArray([1, 2], new arrow.Int32());
      expect([table, ...table.batches].every(isArrowTable)).toBe(true);
      expect(isArrowVector(vector)).toBe(true);
      expect([vector, table.schema, table.toArray(), {}, null].some(isArrowTable)).toBe(false);
      expect([table, table.batches[0], [1], new Int32Array(1)].some(isArrowVector)).toBe(false);
    });

    it("and its vectors in several pieces become data of our own copy in one", () => {
      const vector = arrow
        .vectorFromArray([1, null], new arrow.Int32())
        .concat(arrow.vectorFromArray([3], new arrow.Int32()));
      const data = acceptVector(vector, "x");
      expect(data).toBeInstanceOf(own.Data);
      expect([...new own.Vector([data])]).toStrictEqual([1, null, 3]);
    });
  });

  it.each([[null], [{}], [[]], [{ schema: {}, numRows: 1 }]])("%o is refused as a table", (value) => {
    expect(() => Batch.fromArrow(value as unknown as own.Table)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining("table is ") }),
    );
  });
}
