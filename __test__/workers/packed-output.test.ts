import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArrowTable } from "../../src/arrow/accept/accept.ts";
import { Batch } from "../../src/arrow/batch.ts";
import { packOutput, unpackOutput } from "../../src/workers/packed-output.ts";
import { arrowTable } from "../arrow/support/arrow-table.ts";
import { copies } from "../arrow/support/copies.ts";
import { expectedRows, models, nativeBatch } from "../arrow/support/models.ts";

/** What the main thread gets of an output. */
function cross(output: unknown): unknown {
  const moved: ArrayBuffer[] = [];
  const packed = packOutput(output, moved);
  return unpackOutput(structuredClone(packed, { transfer: moved }));
}

describe("what a transform gives in a worker thread", () => {
  it("crosses_with_equal_data_as_a_batch_of_any_types_and_as_a_slice_of_one", () => {
    const property = fc.property(models(), fc.nat(20), fc.nat(20), (model, one, other) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)];
      const slice = nativeBatch(model).slice(start, end);
      const crossed = Batch.fromArrow(cross(slice) as ArrowTable);
      expect(crossed.rows()).toStrictEqual(expectedRows(model).slice(start, end));
    });
    fc.assert(property, { numRuns: 300 });
  });

  it.each(copies)("crosses_with_equal_data_as_a_table_of_%s_of_apache_arrow", (_, arrow) => {
    const property = fc.property(models(), (model) => {
      const crossed = Batch.fromArrow(cross(arrowTable(arrow, model)) as ArrowTable);
      expect(crossed.rows()).toStrictEqual(expectedRows(model));
    });
    fc.assert(property, { numRuns: 50 });
  });

  it("crosses_as_arrays_and_columns_of_plain_data", () => {
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const output = {
      numbers: [1, -0, Number.NaN, 2n ** 64n, null, undefined, "text", true],
      dates: [new Date(5)],
      maps: [new Map([[1, new Set([2])]])],
      arrays: [
        Float32Array.of(1.5),
        new Uint8Array([1, 2, 3]).subarray(1),
        new DataView(new ArrayBuffer(3), 1),
      ],
      dense: { data: Float64Array.of(1, 2), shape: [1, 2] },
      buffer: new Uint8Array([7]).buffer,
      bytes: Buffer.from("bytes"),
      shared,
    };
    const crossed = cross(output) as typeof output;
    expect(crossed).toStrictEqual({ ...output, bytes: Uint8Array.from(output.bytes) });
    shared[1] = 5;
    expect(crossed.shared[1]).toBe(5);
  });

  it("keeps_its_memory", () => {
    const scratch = Float32Array.of(1, 2, 3);
    const view = scratch.subarray(1);
    const crossed = cross([scratch, view, { scratch }]) as [Float32Array, Float32Array];
    scratch.fill(9);
    expect(scratch).toHaveLength(3);
    expect(crossed[0]).toEqual(Float32Array.of(1, 2, 3));
    expect(crossed[1]).toEqual(Float32Array.of(2, 3));
    expect(crossed[1].buffer.byteLength).toBe(8);
  });

  it("is_found_however_deep_it_lies_and_where_it_goes_round_in_a_circle", () => {
    const circle: Record<string, unknown> = { data: Int8Array.of(1) };
    circle["again"] = circle;
    const deep = Array.from({ length: 50 }).reduce<unknown>((inner) => [inner], Int8Array.of(2));
    expect(String(cross(deep))).toBe("2");
    const crossed = cross(circle) as { data: Int8Array; again: { data: Int8Array } };
    expect([crossed.data[0], crossed.again.data[0]]).toEqual([1, 1]);
  });
});
