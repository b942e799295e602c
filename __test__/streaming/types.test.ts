import * as arrow from "apache-arrow";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { Batch, type Row, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { arrowTable } from "../arrow/support/arrow-table.ts";
import type { Model } from "../arrow/support/encode-layout.ts";
import { values } from "../arrow/support/model.ts";
import { expectedRows } from "../arrow/support/models.ts";
import type { Spec } from "../arrow/support/spec.ts";
import { collect } from "../support/reading.ts";
import { nameOf, storable } from "../support/storable.ts";
import { range, tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const id: Spec = { kind: "int", signed: true, bits: 32 };
const rows = 45;

/** The values of a column of each type. */
const columns = new Map(
  storable.map((spec) => [nameOf(spec), fc.sample(values(spec), { numRuns: rows, seed: 7 })]),
);

/** One column of each type, and the row's number. */
const model: Model = {
  specs: { id, ...Object.fromEntries(storable.map((spec) => [nameOf(spec), spec])) },
  rows: range(0, rows).map((row) => ({
    id: row,
    ...Object.fromEntries(Array.from(columns, ([name, column]) => [name, column[row] ?? null])),
  })),
};
const expected = expectedRows(model);

/** The model's rows as a table of several fragments. */
async function write(name: string, { specs, rows }: Model, cuts: readonly number[]): Promise<string> {
  const ends = [...cuts, rows.length];
  const parts = ends.map((end, part) =>
    arrowTable(arrow, { specs, rows: rows.slice(ends[part - 1] ?? 0, end) }),
  );
  await writeTable(folder, name, parts);
  return tablePath(folder, name);
}

async function batchesOf(path: string, options: StreamingDatasetOptions): Promise<Batch[]> {
  await using dataset = await StreamingDataset.open(path, options);
  return await collect(dataset.batches(7));
}

/** What the columns of a batch must be, by the ids in it. */
function expectedOf(batch: Batch, columns: readonly string[]): Row[] {
  const ids = Array.from(batch.column("id"), Number);
  return ids.map((row) =>
    Object.fromEntries(columns.map((column) => [column, expected[row]?.[column] ?? null])),
  );
}

describe.each([
  { fetch: "memory" },
  { fetch: "take", readBatchSize: 14 },
  { fetch: "take", lendBuffers: false, filter: "id % 4 <> 2" },
] as const)("with %o, the values are those that were written, of type", (options) => {
  let batches: Batch[];

  beforeAll(async () => {
    const path = await write(`types-${options.fetch}-${"filter" in options}`, model, [13, 30]);
    batches = await batchesOf(path, { shuffleSeed: 3, ...options });
    expect(batches.length).toBeGreaterThan(4);
  });

  test.each(storable.map((spec) => [nameOf(spec)]))("%s", (name) => {
    for (const batch of batches) {
      const columns = [name, "id"];
      const rowsOfBatch = expectedOf(batch, columns);
      expect(batch.select(columns).rows()).toEqual(rowsOfBatch);
      // A cut inside a byte of a bitmap keeps nulls and bits at their rows.
      expect(batch.select(columns).slice(3, 6).rows()).toEqual(rowsOfBatch.slice(3, 6));
      expect(Batch.fromArrow(batch.select(columns).slice(1).toArrow()).rows()).toEqual(rowsOfBatch.slice(1));
    }
  });
});

/** Values that LanceDB's writer takes: it refuses NaN in what may be an embedding. */
function writable(spec: Spec) {
  if (spec.kind !== "fixed-list") return values(spec);
  return values(spec).filter((list) => !Array.isArray(list) || !list.some(Number.isNaN));
}

test("tables of any columns come back as they were written", async () => {
  // The writer of apache-arrow drops the values of a boolean column that is null throughout, which short parts often have.
  const withoutBooleans = storable.filter((spec) => !nameOf(spec).includes("bool"));
  const model = fc
    .uniqueArray(fc.constantFrom(...withoutBooleans), { minLength: 1, maxLength: 4, selector: nameOf })
    .chain((specs) => {
      const named = Object.fromEntries([["id", id], ...specs.map((spec) => [nameOf(spec), spec])]);
      const row = fc.record(Object.fromEntries(specs.map((spec) => [nameOf(spec), writable(spec)])));
      const numbered = fc
        .array(row, { minLength: 1, maxLength: 40 })
        .map((list) => list.map((values, id) => ({ id, ...values })));
      return fc.record({ specs: fc.constant(named), rows: numbered });
    });
  let tables = 0;
  const options = fc.record({
    fetch: fc.constantFrom("memory", "take"),
    shuffleSeed: fc.nat(),
    readBatchSize: fc.integer({ min: 1, max: 20 }),
  }) as fc.Arbitrary<StreamingDatasetOptions>;
  await fc.assert(
    fc.asyncProperty(model as fc.Arbitrary<Model>, options, async (model, options) => {
      const path = await write(`any-${tables++}`, model, model.rows.length > 2 ? [1] : []);
      const batches = await batchesOf(path, options);
      const read = batches.flatMap((batch) => batch.rows());
      expect(read.toSorted((left, right) => Number(left["id"]) - Number(right["id"]))).toEqual(
        expectedRows(model),
      );
    }),
    { numRuns: 20 },
  );
});
