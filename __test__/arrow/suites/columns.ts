import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expected } from "../support/expected.ts";
import type { ModelValue } from "../support/model.ts";
import { values } from "../support/model.ts";
import { columnBatch } from "../support/models.ts";
import type { Spec } from "../support/spec.ts";
import { numericSpecs } from "../support/specs.ts";

const float32: Spec = { kind: "float", bits: 32 };
const int32: Spec = { kind: "int", signed: true, bits: 32 };

export function describeColumns(): void {
  describe("column and tensor", () => {
    it.each<[Spec, ModelValue[], string, number[], ArrayLike<number | bigint>]>([
      [int32, [1, 2], "int32", [2], Int32Array.of(1, 2)],
      [
        { kind: "int", signed: false, bits: 64 },
        [2n ** 64n - 1n],
        "uint64",
        [1],
        BigUint64Array.of(2n ** 64n - 1n),
      ],
      [{ kind: "float", bits: 16 }, [1, -2], "float16", [2], Uint16Array.of(0x3c00, 0xc000)],
      [{ kind: "date", unit: "day" }, [new Date("1970-01-03")], "int32", [1], Int32Array.of(2)],
      [{ kind: "date", unit: "ms" }, [new Date(5)], "int64", [1], BigInt64Array.of(5n)],
      [{ kind: "timestamp", unit: "s" }, [new Date(5000)], "int64", [1], BigInt64Array.of(5n)],
      [
        { kind: "fixed-binary", width: 2 },
        [Uint8Array.of(1, 2), Uint8Array.of(3, 4)],
        "uint8",
        [2, 2],
        Uint8Array.of(1, 2, 3, 4),
      ],
      [
        { kind: "fixed-list", size: 3, item: float32 },
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        "float32",
        [2, 3],
        Float32Array.of(1, 2, 3, 4, 5, 6),
      ],
    ])("%o has the elements, dtype and shape", (spec, column, dtype, shape, data) => {
      const batch = columnBatch(spec, column);
      expect(batch.tensor("x")).toStrictEqual({ dtype, shape, data });
      expect(batch.column("x")).toBe(batch.tensor("x").data);
    });

    it("lists in lists add a dimension each", () => {
      const spec: Spec = { kind: "fixed-list", size: 2, item: { kind: "fixed-list", size: 3, item: int32 } };
      const { shape, data } = columnBatch(spec, [
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
      ])
        .slice(0, 1)
        .tensor("x");
      expect([shape, data]).toStrictEqual([[1, 2, 3], Int32Array.of(1, 2, 3, 4, 5, 6)]);
    });

    it("booleans are unpacked into bytes, from any bit on", () => {
      const flags = Array.from({ length: 20 }, (_, index) => index % 3 === 0);
      const { dtype, data } = columnBatch({ kind: "bool" }, flags).slice(3, 17).tensor("x");
      expect([dtype, data]).toStrictEqual(["bool", Uint8Array.from(flags.slice(3, 17), Number)]);
    });

    it("elements equal the items of the rows, in every slice", () => {
      const sliced = numericSpecs.chain((item) => {
        const list = values(item).filter((value) => value !== null);
        const rows = fc.array(fc.array(list, { minLength: 2, maxLength: 2 }), { maxLength: 12 });
        return fc.tuple(fc.constant(item), rows, fc.nat(12), fc.nat(12));
      });
      const property = fc.property(sliced, ([item, rows, start, end]) => {
        const spec: Spec = { kind: "fixed-list", size: 2, item };
        const batch = columnBatch(spec, rows).slice(start, end);
        const part = rows.slice(start, end);
        const flat = columnBatch(item, part.flat());
        expect(batch.tensor("x").shape).toStrictEqual([part.length, 2]);
        expect(batch.column("x")).toStrictEqual(flat.column("x"));
        expect(flat.rows().map(({ x }) => x)).toStrictEqual(
          part.flat().map((value) => expected(item, value)),
        );
      });
      fc.assert(property);
    });

    it("numbers are views of the batch's block", () => {
      const batch = columnBatch(int32, [1, 2, 3, 4]);
      expect(batch.column("x").buffer).toBe(batch.slice(1, 3).column("x").buffer);
      expect(batch.slice(1, 3).column("x").byteOffset).toBe(4);
      expect(batch.vector("x").data[0]?.values.buffer).toBe(batch.column("x").buffer);
    });

    it("nulls are refused, but only those of the slice's own rows", () => {
      const batch = columnBatch(int32, [1, null, null, 4, 5]);
      const holdsNulls = {
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(/"x" holds nulls \(2 .*rows\(\)/),
      };
      expect(() => batch.column("x")).toThrow(expect.objectContaining(holdsNulls));
      expect(batch.slice(3).column("x")).toStrictEqual(Int32Array.of(4, 5));
    });

    it("null lists and null items are refused", () => {
      const spec: Spec = { kind: "fixed-list", size: 2, item: int32 };
      for (const column of [[[1, 2], null], [[1, null]]]) {
        expect(() => columnBatch(spec, column).tensor("x")).toThrow(
          expect.objectContaining({ code: "INVALID_ARGUMENT" }),
        );
      }
    });

    it.each<[Spec, ModelValue, RegExp]>([
      [{ kind: "utf8" }, "a", /Utf8.*rows\(\) or vector\(\)/],
      [{ kind: "decimal", bits: 128, scale: 2 }, "1.00", /Decimal.*rows\(\)/],
      [{ kind: "list", item: int32 }, [1], /List.*rows\(\)/],
      [{ kind: "bool" }, true, /booleans.*tensor\(\)/],
    ])("a column of %o says what to use instead", (spec, value, message) => {
      expect(() => columnBatch(spec, [value]).column("x")).toThrow(
        expect.objectContaining({ code: "UNSUPPORTED_TYPE", message: expect.stringMatching(message) }),
      );
    });

    it("an unknown column names the nearest ones", () => {
      const batch = columnBatch(int32, [1]);
      for (const read of [() => batch.column("X1"), () => batch.vector("X1"), () => batch.select(["X1"])]) {
        expect(read).toThrow(
          expect.objectContaining({ code: "UNKNOWN_COLUMN", message: expect.stringContaining('"x"?') }),
        );
      }
    });
  });
}
