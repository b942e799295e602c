import * as arrow from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Batch } from "../../../src/arrow/batch.ts";
import { columnBatch, expectedRows, models, nativeBatch } from "../support/models.ts";
import type { Spec } from "../support/spec.ts";

const int32: Spec = { kind: "int", signed: true, bits: 32 };
const index = fc.integer({ min: -25, max: 25 });

export function describeViews(): void {
  describe("slice, select, concat and toArrow", () => {
    it("a slice has the rows that the same slice of an array has, and so has a slice of it", () => {
      const property = fc.property(models(), index, index, index, index, (model, a, b, c, d) => {
        const slice = nativeBatch(model).slice(a, b).slice(c, d);
        const rows = expectedRows(model).slice(a, b).slice(c, d);
        expect(slice.numRows).toBe(rows.length);
        expect(slice.rows()).toStrictEqual(rows);
      });
      fc.assert(property, { numRuns: 300 });
    });

    it("a slice that begins at no multiple of 8 keeps its nulls", () => {
      const column = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? null : at));
      const batch = columnBatch({ kind: "int", signed: true, bits: 16 }, column).slice(5, 27);
      expect([...batch.vector("x")]).toStrictEqual(column.slice(5, 27));
      expect(batch.rows().map(({ x }) => x)).toStrictEqual(column.slice(5, 27));
    });

    it("a table of any slice gives the same rows again", () => {
      const property = fc.property(models(), index, index, (model, a, b) => {
        const table = nativeBatch(model).slice(a, b).toArrow();
        expect(table).toBeInstanceOf(arrow.Table);
        expect(Batch.fromArrow(table).rows()).toStrictEqual(expectedRows(model).slice(a, b));
      });
      fc.assert(property, { numRuns: 200 });
    });

    it("a table of any slice survives Arrow's stream format", () => {
      const property = fc.property(models(), index, (model, start) => {
        const bytes = arrow.tableToIPC(nativeBatch(model).slice(start).toArrow());
        expect(Batch.fromArrow(arrow.tableFromIPC(bytes)).rows()).toStrictEqual(
          expectedRows(model).slice(start),
        );
      });
      fc.assert(property, { numRuns: 200 });
    });

    it("batches joined have the rows of all, in order", () => {
      const property = fc.property(models(), fc.array(fc.nat(20), { maxLength: 4 }), (model, cuts) => {
        const batch = nativeBatch(model);
        const starts = [0, ...cuts.sort((a, b) => a - b)];
        const parts = starts.map((start, at) => batch.slice(start, starts[at + 1] ?? batch.numRows));
        expect(Batch.concat(parts).rows()).toStrictEqual(expectedRows(model));
      });
      fc.assert(property, { numRuns: 300 });
    });

    it("rows that are taken come in the order asked for, and as often", () => {
      const property = fc.property(
        models(),
        index,
        fc.array(fc.nat(100), { maxLength: 12 }),
        (model, start, picks) => {
          const batch = nativeBatch(model).slice(start);
          const rows = expectedRows(model).slice(start);
          const indices = rows.length === 0 ? [] : picks.map((pick) => pick % rows.length);
          const taken = batch.take(indices);
          expect(taken.rows()).toStrictEqual(indices.map((at) => rows[at]));
          expect(() => batch.take([rows.length])).toThrow("indices have");
        },
      );
      fc.assert(property, { numRuns: 300 });
    });

    it("batches with dictionaries of their own are joined by value", () => {
      const spec: Spec = { kind: "dictionary", bits: 8, value: { kind: "utf8" } };
      const joined = Batch.concat(
        [["a", "b"], ["c"], ["b", null, "c"]].map((column) => columnBatch(spec, column)),
      );
      expect(joined.rows().map(({ x }) => x)).toStrictEqual(["a", "b", "c", "b", null, "c"]);
      const copied = arrow.tableFromIPC(arrow.tableToIPC(joined.toArrow()));
      expect(Batch.fromArrow(copied).rows()).toStrictEqual(joined.rows());
    });

    it("one batch is joined to itself, none is refused, and so are different schemas", () => {
      const batch = columnBatch(int32, [1]);
      expect(Batch.concat([batch])).toBe(batch);
      const refused = expect.objectContaining({ code: "INVALID_ARGUMENT" });
      expect(() => Batch.concat([])).toThrow(refused);
      expect(() => Batch.concat([batch, columnBatch({ kind: "utf8" }, ["a"])])).toThrow(refused);
    });

    it("selected columns come in the order asked for, and a name twice is refused", () => {
      const specs: Record<string, Spec> = { a: int32, b: { kind: "utf8" }, c: { kind: "bool" } };
      const batch = nativeBatch({ specs, rows: [1, 2].map((a) => ({ a, b: `${a}`, c: a === 1 })) });
      const picked = batch.slice(1).select(["c", "a"]);
      expect(picked.columnNames).toStrictEqual(["c", "a"]);
      expect(picked.rows()).toStrictEqual([{ c: false, a: 2 }]);
      expect(picked.toArrow().schema.fields.map(({ name }) => name)).toStrictEqual(["c", "a"]);
      expect(() => batch.select(["a", "a"])).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    });

    it("a selection of no columns keeps the number of rows", () => {
      const none = columnBatch(int32, [1, 2, 3]).select([]);
      expect([none.numRows, none.rows()]).toStrictEqual([3, [{}, {}, {}]]);
    });

    it("numBytes are the bytes of the block, for slices too", () => {
      const batch = columnBatch(int32, [1, 2, 3]);
      expect(batch.numBytes).toBe(batch.column("x").buffer.byteLength);
      expect(batch.slice(1, 2).numBytes).toBe(batch.numBytes);
      expect(Batch.fromArrow(batch.toArrow()).numBytes).toBe(batch.numBytes);
    });
  });
}
