import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Batch } from "../../../src/arrow/batch.ts";
import { halfValues } from "../../../src/arrow/float16.ts";
import type { RowValue } from "../../../src/arrow/row-value.ts";
import { decodeSchema } from "../../../src/arrow/schema.ts";
import { encodeLayout, encodeSchema } from "../support/encode-layout.ts";
import type { ModelValue } from "../support/model.ts";
import { columnBatch, expectedRows, models, nativeBatch } from "../support/models.ts";
import type { Spec } from "../support/spec.ts";

const int32: Spec = { kind: "int", signed: true, bits: 32 };
const int64: Spec = { kind: "int", signed: true, bits: 64 };
const float32: Spec = { kind: "float", bits: 32 };
const utf8: Spec = { kind: "utf8" };

const cases: [title: string, spec: Spec, column: ModelValue[], rows: RowValue[]][] = [
  ["nulls among integers stay null", int32, [1, null, 3], [1, null, 3]],
  ["a column that is null throughout is null", utf8, [null, null], [null, null]],
  ["a column of the null type is null", { kind: "null" }, [null, null], [null, null]],
  ["64-bit integers are exact", int64, [9007199254740993n], [9007199254740993n]],
  [
    "a null list beside fixed-size lists",
    { kind: "fixed-list", size: 3, item: float32 },
    [[1, 2, 3], null],
    [Float32Array.of(1, 2, 3), null],
  ],
  ["decimals keep their scale", { kind: "decimal", bits: 128, scale: 3 }, ["-1.500"], ["-1.500"]],
  [
    "decimals below one have a leading zero",
    { kind: "decimal", bits: 128, scale: 3 },
    ["-0.005"],
    ["-0.005"],
  ],
  [
    "decimals with a negative scale end in zeros",
    { kind: "decimal", bits: 128, scale: -2 },
    ["1200"],
    ["1200"],
  ],
  ["halves are decoded", { kind: "float", bits: 16 }, [1, -2, 2 ** -24], [1, -2, 2 ** -24]],
  [
    "lists of halves are decoded",
    { kind: "list", item: { kind: "float", bits: 16 } },
    [[1, -2]],
    [Float32Array.of(1, -2)],
  ],
  [
    "timestamps in nanoseconds are exact",
    { kind: "timestamp", unit: "ns" },
    [1700000000000000001n],
    [1700000000000000001n],
  ],
  [
    "dates are Date objects",
    { kind: "date", unit: "day" },
    [new Date("1969-12-31")],
    [new Date("1969-12-31")],
  ],
  ["a byte order mark is kept", utf8, ["\ufeffa", "\ufeff"], ["\ufeffa", "\ufeff"]],
  [
    "a list with a null item is an array",
    { kind: "list", item: int32 },
    [[1, null], [2]],
    [[1, null], Int32Array.of(2)],
  ],
  [
    "lists of lists nest",
    { kind: "list", item: { kind: "list", item: int64 } },
    [[[1n], []], []],
    [[BigInt64Array.of(1n), new BigInt64Array()], []],
  ],
  ["long strings beside short ones", utf8, ["a", "x".repeat(500), ""], ["a", "x".repeat(500), ""]],
];

export function describeRows(): void {
  describe("rows", () => {
    it.each(cases)("%s", (_, spec, column, rows) => {
      expect(columnBatch(spec, column).rows()).toStrictEqual(rows.map((x) => ({ x })));
    });

    it("rows equal the model, for every type, nullness and nesting", () => {
      const property = fc.property(models(), (model) => {
        expect(nativeBatch(model).rows()).toStrictEqual(expectedRows(model));
      });
      fc.assert(property, { numRuns: 300 });
    });

    it("a row alone equals that row among all, before and after all were made", () => {
      const property = fc.property(models(), (model) => {
        const rows = expectedRows(model);
        const batch = nativeBatch(model);
        expect(rows.map((_, index) => batch.row(index))).toStrictEqual(rows);
        expect(batch.rows().map((_, index) => batch.row(index))).toStrictEqual(rows);
      });
      fc.assert(property);
    });

    it("what a row holds does not depend on the rows beside it", () => {
      const spec: Spec = { kind: "list", item: int32 };
      const alone = columnBatch(spec, [[1, 2]]).row(0);
      expect(columnBatch(spec, [[1, 2], [null]]).row(0)).toStrictEqual(alone);
    });

    it("rows are made once", () => {
      const batch = columnBatch(int32, [1, 2]);
      expect(batch.rows()).toBe(batch.rows());
      expect(batch.row(1)).toBe(batch.rows()[1]);
    });

    it("a column named __proto__ is a column like any other", () => {
      const inner: Spec = { kind: "struct", fields: { ["__proto__"]: int32 } };
      const value = Object.defineProperty({}, "__proto__", { value: 7, enumerable: true });
      const [row] = nativeBatch({
        specs: { ["__proto__"]: int32, s: inner },
        rows: [{ ["__proto__"]: 5, s: value }],
      }).rows();
      expect(Object.entries(row ?? {})[0]).toStrictEqual(["__proto__", 5]);
      expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
      expect(Object.entries(row?.["s"] as object)).toStrictEqual([["__proto__", 7]]);
    });

    it.each([-1, 2, 0.5, Number.NaN])("the row %d of two is refused", (index) => {
      expect(() => columnBatch(int32, [1, 2]).row(index)).toThrow(
        expect.objectContaining({
          code: "INVALID_ARGUMENT",
          message: expect.stringContaining(`index is ${index}`),
        }),
      );
    });

    it("bytes that are no UTF-8 become U+FFFD and leave the neighbours alone", () => {
      const bytes = [[0xff], [0x61], [0xe2, 0x82], [0xac, 0x62]].map((each) => ({
        x: Uint8Array.from(each),
      }));
      const { native } = encodeLayout({ specs: { x: { kind: "binary" } }, rows: bytes });
      const batch = Batch.fromNative(decodeSchema(encodeSchema({ x: utf8 })), native);
      expect(batch.rows().map(({ x }) => x)).toStrictEqual(["\ufffd", "a", "\ufffd", "\ufffdb"]);
    });

    it("every half is the number that its sign, exponent and fraction say", () => {
      const bits = Uint16Array.from({ length: 1 << 16 }, (_, index) => index);
      expect(halfValues()).toStrictEqual(Float32Array.from(bits, widened));
    });
  });
}

/** The number of a half, by moving its fields to where a float32 has them. */
function widened(bits: number): number {
  const [sign, exponent, fraction] = [bits >>> 15, (bits >>> 10) & 31, bits & 1023];
  if (exponent === 0) return (sign === 1 ? -fraction : fraction) / 2 ** 24;
  const wide = exponent === 31 ? 255 : exponent - 15 + 127;
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, ((sign << 31) | (wide << 23) | (fraction << 13)) >>> 0);
  return view.getFloat32(0);
}
