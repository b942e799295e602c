import { describe, expect, it } from "vitest";
import { Batch } from "../../../src/arrow/batch.ts";
import { decodeSchema } from "../../../src/arrow/schema.ts";
import { encodeLayout, encodeSchema } from "../support/encode-layout.ts";
import type { Spec } from "../support/spec.ts";

const int32: Spec = { kind: "int", signed: true, bits: 32 };

export function describeSchema(): void {
  describe("schema", () => {
    it("names, types and metadata survive", () => {
      const specs: Record<string, Spec> = {
        a: int32,
        b: { kind: "dictionary", bits: 8, value: { kind: "utf8" } },
      };
      const schema = decodeSchema(encodeSchema(specs, new Map([["k", "v"]])));
      expect(schema.fields.map(({ name, type }) => `${name}: ${type}`)).toStrictEqual([
        "a: Int32",
        "b: Dictionary<Int8, Utf8>",
      ]);
      expect(schema.metadata.get("k")).toBe("v");
    });

    it("bytes without a schema are an internal error", () => {
      expect(() => decodeSchema(new Uint8Array(0))).toThrow(expect.objectContaining({ code: "INTERNAL" }));
    });

    it("a layout that is not the schema's is an internal error", () => {
      const schema = decodeSchema(encodeSchema({ a: int32, b: int32 }));
      const { native } = encodeLayout({ specs: { a: int32 }, rows: [] });
      expect(() => Batch.fromNative(schema, native)).toThrow(expect.objectContaining({ code: "INTERNAL" }));
    });
  });
}
