import * as arrow from "apache-arrow";
import type { NativeBatch } from "../../../src/arrow/layout.ts";
import { type Encoded, encode } from "./encode.ts";
import type { ModelValue } from "./model.ts";
import { arrowType, type Spec } from "./spec.ts";

/** A table of the model. */
export interface Model {
  specs: Record<string, Spec>;
  rows: Record<string, ModelValue>[];
}

/** What the addon would hand over for a table: the schema once, and the batch. */
export interface EncodedBatch {
  schemaBytes: Uint8Array;
  native: NativeBatch;
}

const alignment = 64;

/** Does the addon's part: lays a table out as `docs/design/batch-layout.md` has it. */
export function encodeLayout({ specs, rows }: Model): EncodedBatch {
  const columns = Object.entries(specs).map(([name, spec]) =>
    encode(
      spec,
      rows.map((row) => row[name] ?? null),
    ),
  );
  return { schemaBytes: encodeSchema(specs), native: layOut(columns, rows.length) };
}

/** The bytes of a stream that has a schema and no batches. */
export function encodeSchema(specs: Record<string, Spec>, metadata = new Map<string, string>()): Uint8Array {
  const fields = Object.entries(specs).map(
    ([name, spec]) => new arrow.Field(name, arrowType(arrow, spec), true),
  );
  const writer = new arrow.RecordBatchStreamWriter();
  writer.reset(undefined, new arrow.Schema(fields, metadata));
  return writer.finish().toUint8Array(true);
}

function layOut(columns: readonly Encoded[], numRows: number): NativeBatch {
  const layout: number[] = [];
  const placed: [number, ArrayBufferView][] = [];
  let end = 0;
  const place = (buffer: ArrayBufferView | undefined) => {
    if (buffer === undefined) return layout.push(0, 0);
    placed.push([end, buffer]);
    layout.push(end, buffer.byteLength);
    end = Math.ceil((end + buffer.byteLength) / alignment) * alignment;
  };
  const visit = ({ spec, length, nullCount, validity, buffers, children }: Encoded) => {
    layout.push(length, nullCount);
    if (spec.kind !== "null") place(validity);
    for (const buffer of buffers) place(buffer);
    children.forEach(visit);
  };
  columns.forEach(visit);
  const data = new ArrayBuffer(end);
  for (const [at, { buffer, byteOffset, byteLength }] of placed) {
    new Uint8Array(data, at, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return { numRows, data, layout: Float64Array.from(layout) };
}
