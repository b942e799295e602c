import fc from "fast-check";
import { Batch } from "../../../src/arrow/batch.ts";
import type { Row } from "../../../src/arrow/row-value.ts";
import { decodeSchema } from "../../../src/arrow/schema.ts";
import { encodeLayout, type Model } from "./encode-layout.ts";
import { expected } from "./expected.ts";
import { values } from "./model.ts";
import type { Spec } from "./spec.ts";
import { specs } from "./specs.ts";

/** Tables of up to three columns `x0`, `x1`, `x2` and up to 20 rows. */
export function models(spec: fc.Arbitrary<Spec> = specs): fc.Arbitrary<Model> {
  return fc.array(spec, { minLength: 1, maxLength: 3 }).chain((list) => {
    const bySpec = Object.fromEntries(list.map((each, at) => [`x${at}`, each]));
    const row = fc.record(Object.fromEntries(list.map((each, at) => [`x${at}`, values(each)])));
    return fc.record({ specs: fc.constant(bySpec), rows: fc.array(row, { maxLength: 20 }) });
  });
}

/** The batch that a model's table becomes when it crosses from the addon. */
export function nativeBatch(model: Model): Batch {
  const { schemaBytes, native } = encodeLayout(model);
  return Batch.fromNative(decodeSchema(schemaBytes), native);
}

/** A batch of one column `x`. */
export function columnBatch(spec: Spec, column: Model["rows"][number][string][]): Batch {
  return nativeBatch({ specs: { x: spec }, rows: column.map((x) => ({ x })) });
}

/** The rows that a batch of the model must give. */
export function expectedRows({ specs, rows }: Model): Row[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(specs).map(([name, spec]) => [name, expected(spec, row[name] ?? null)]),
    ),
  );
}
