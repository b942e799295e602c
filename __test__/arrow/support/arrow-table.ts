import type { Data, Dictionary, Table } from "apache-arrow";
import { type Encoded, encode } from "./encode.ts";
import type { Model } from "./encode-layout.ts";
import { type Arrow, arrowType } from "./spec.ts";

/** The rows as a table that one copy of apache-arrow made, cut into record batches before the rows `cuts`. */
export function arrowTable(arrow: Arrow, { specs, rows }: Model, cuts: readonly number[] = []): Table {
  const fields = Object.entries(specs).map(
    ([name, spec]) => new arrow.Field(name, arrowType(arrow, spec), true),
  );
  const schema = new arrow.Schema(fields, new Map([["origin", "test"]]));
  const ends = [...new Set([...cuts, rows.length])].sort((a, b) => a - b);
  const batches = ends.map((end, at) => {
    const part = rows.slice(ends[at - 1] ?? 0, end);
    const children = schema.fields.map(({ name, type }) => {
      const column = encode(
        specs[name] as Encoded["spec"],
        part.map((row) => row[name] ?? null),
      );
      return arrowData(arrow, type, column);
    });
    const type = new arrow.Struct(schema.fields);
    return new arrow.RecordBatch(
      schema,
      arrow.makeData({ type, length: part.length, nullCount: 0, children }),
    );
  });
  return new arrow.Table(schema, batches);
}

/** A column's buffers, wrapped by one copy of apache-arrow. */
function arrowData(arrow: Arrow, type: Data["type"], column: Encoded): Data {
  const { spec, length, nullCount, validity, buffers } = column;
  const base = { type, length, nullCount, ...(validity && { nullBitmap: validity }) };
  if (spec.kind === "dictionary") {
    const values = arrowData(arrow, (type as Dictionary).dictionary, column.children[0] as Encoded);
    return makeData(arrow, { ...base, data: buffers[0], dictionary: new arrow.Vector([values]) });
  }
  const types = (type.children ?? []).map((field) => field.type);
  const children = column.children.map((child, at) => arrowData(arrow, types[at] as Data["type"], child));
  const [first, second] = buffers;
  if (spec.kind === "struct") return makeData(arrow, { ...base, children });
  if (spec.kind === "fixed-list") return makeData(arrow, { ...base, child: children[0] });
  if (children.length > 0) return makeData(arrow, { ...base, valueOffsets: first, child: children[0] });
  return makeData(arrow, second ? { ...base, valueOffsets: first, data: second } : { ...base, data: first });
}

function makeData(arrow: Arrow, props: object): Data {
  return arrow.makeData(props as Parameters<Arrow["makeData"]>[0]) as Data;
}
