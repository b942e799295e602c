import * as own from "apache-arrow";
import { describe, expect, it } from "vitest";
import { Batch } from "../../../src/arrow/batch.ts";
import { copies } from "../support/copies.ts";
import type { Arrow } from "../support/spec.ts";

/** Classes that apache-arrow got within the supported range. */
interface LaterTypes {
  LargeList: new (item: own.Field) => own.DataType;
  Utf8View: new () => own.DataType;
  BinaryView: new () => own.DataType;
  IntervalMonthDayNano: new () => own.DataType;
}

type Later = Arrow & LaterTypes;

export function describeLaterTypes(): void {
  describe.each(copies)("types that %s of apache-arrow may have and another lacks", (_, copy) => {
    const arrow = copy as Later;

    it.runIf("LargeList" in arrow)("large lists are delivered as plain ones, in slices too", () => {
      const child = arrow.vectorFromArray([1, 2, 3, 4], new arrow.Int32()).data[0];
      const type = new arrow.LargeList(new arrow.Field("item", new arrow.Int32(), true));
      const valueOffsets = BigInt64Array.of(0n, 2n, 2n, 4n);
      const vector = vectorOf(arrow, { type, length: 3, nullCount: 0, valueOffsets, child });
      const batch = Batch.fromArrow(new arrow.Table({ x: vector.slice(1) }));
      expect(String(batch.schema.fields[0]?.type)).toBe("List<Int32>");
      expect(batch.rows()).toStrictEqual([{ x: new Int32Array() }, { x: Int32Array.of(3, 4) }]);
    });

    it.runIf("Utf8View" in arrow)("views are delivered as plain strings and bytes, in slices too", () => {
      const words = ["drop", "inline", null, "longer than twelve bytes", "twelve bytes"];
      const [views, variadicBuffers] = encodeViews(words);
      const nullBitmap = Uint8Array.of(0b11011);
      const parts = { length: 5, nullBitmap, views, variadicBuffers };
      const text = vectorOf(arrow, { ...parts, type: new arrow.Utf8View() }).slice(1);
      const bytes = vectorOf(arrow, { ...parts, type: new arrow.BinaryView() }).slice(1);
      const batch = Batch.fromArrow(new arrow.Table({ text, bytes }));
      expect(batch.schema.fields.map(({ type }) => String(type))).toStrictEqual(["Utf8", "Binary"]);
      const rows = words
        .slice(1)
        .map((word) => ({ text: word, bytes: word && new Uint8Array(Buffer.from(word)) }));
      expect(batch.rows()).toStrictEqual(rows);
    });

    it.runIf("IntervalMonthDayNano" in arrow)(
      "month-day-nano intervals are read, or refused by a copy that cannot",
      () => {
        const data = Int32Array.of(1, -2, 3, 0, 4, 5, -1, -1);
        const vector = vectorOf(arrow, {
          type: new arrow.IntervalMonthDayNano(),
          length: 2,
          nullCount: 0,
          data,
        });
        const accept = () => Batch.fromArrow(new arrow.Table({ x: vector }));
        if ("IntervalMonthDayNano" in own) {
          expect(accept().slice(1).rows()).toStrictEqual([{ x: { months: 4, days: 5, nanoseconds: -1n } }]);
        } else {
          const message = expect.stringMatching(/"x".*newer/);
          expect(accept).toThrow(expect.objectContaining({ code: "UNSUPPORTED_TYPE", message }));
        }
      },
    );

    it("64-bit offsets beyond 2^31 - 1 are refused, whatever the values", () => {
      const type = new arrow.LargeUtf8();
      const valueOffsets = BigInt64Array.of(0n, 2n ** 31n);
      const vector = vectorOf(arrow, {
        type,
        length: 1,
        nullCount: 0,
        valueOffsets,
        data: new Uint8Array(1),
      });
      expect(() => Batch.fromArrow(new arrow.Table({ x: vector }))).toThrow(tooLarge);
    });

    it("record batches that pass 2^31 - 1 bytes together are refused", () => {
      const valueOffsets = Int32Array.of(0, 2 ** 30);
      const parts = {
        type: new arrow.Utf8(),
        length: 1,
        nullCount: 0,
        valueOffsets,
        data: new Uint8Array(1),
      };
      const vector = vectorOf(arrow, parts);
      const table = new arrow.Table({ x: vector.concat(vector) });
      expect(() => Batch.fromArrow(table)).toThrow(tooLarge);
    });
  });
}

const tooLarge = expect.objectContaining({
  code: "BATCH_TOO_LARGE",
  message: expect.stringContaining("fewer rows"),
});

function vectorOf(arrow: Arrow, props: object): own.Vector {
  return new arrow.Vector([arrow.makeData(props as Parameters<Arrow["makeData"]>[0]) as own.Data]);
}

/** Views of strings: those of up to 12 bytes inline, the others in one buffer. */
function encodeViews(words: readonly (string | null)[]): [views: Uint8Array, buffers: Uint8Array[]] {
  const views = Buffer.alloc(16 * words.length);
  let outside = Buffer.alloc(0);
  for (const [index, word] of words.entries()) {
    const bytes = Buffer.from(word ?? "");
    views.writeInt32LE(bytes.length, 16 * index);
    bytes.copy(views, 16 * index + 4, 0, bytes.length > 12 ? 4 : bytes.length);
    if (bytes.length <= 12) continue;
    views.writeInt32LE(outside.length, 16 * index + 12);
    outside = Buffer.concat([outside, bytes]);
  }
  return [views, [outside]];
}
