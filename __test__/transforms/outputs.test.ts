import { Float32, makeData, RecordBatch, Table, tableFromArrays } from "apache-arrow";
import * as highest from "arrow-highest";
import * as lowest from "arrow-lowest";
import { describe, expect, test } from "vitest";
import { Batch, StreamingDataLoader, StreamingDataset, type Transform } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect } from "../support/reading.ts";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const rows = 10;
const path = await writeIds(tempFolder(), "ids", rows);
const idsOf = (batch: Batch) => Array.from(batch.column("id"), Number);

/** A dataset that transforms three rows at a time. */
function open(transform: Transform, more = {}) {
  return StreamingDataset.open(path, { shuffle: false, readBatchSize: 3, transform, ...more });
}

/** The forms in which the column `twice` of all rows can be given. */
const forms: [string, Transform][] = [
  ["an object of arrays", (batch) => ({ twice: idsOf(batch).map((id) => 2 * id) })],
  ["an object of typed arrays", (batch) => ({ twice: Float64Array.from(idsOf(batch), (id) => 2 * id) })],
  [
    "a dense array",
    (batch) => ({ twice: { data: Float64Array.from(idsOf(batch), (id) => 2 * id), shape: [batch.numRows] } }),
  ],
  ["a table", (batch) => tableFromArrays({ twice: Float64Array.from(idsOf(batch), (id) => 2 * id) })],
  [
    "a record batch",
    (batch) =>
      tableFromArrays({ twice: Float64Array.from(idsOf(batch), (id) => 2 * id) }).batches[0] as RecordBatch,
  ],
  [
    "a table of the lowest apache-arrow",
    (batch) => lowest.tableFromArrays({ twice: Float64Array.from(idsOf(batch), (id) => 2 * id) }),
  ],
  [
    "a table of the highest apache-arrow",
    (batch) => highest.tableFromArrays({ twice: Float64Array.from(idsOf(batch), (id) => 2 * id) }),
  ],
];

describe.each(forms)("outputs as %s", (_, transform) => {
  test("are rows in a loop", async () => {
    await using dataset = await open(transform);
    expect(await collect(dataset)).toEqual(range(0, rows).map((id) => ({ twice: 2 * id })));
  });

  test.each([1, 2, 3, 4, 7, 10, 99])(
    "are batches of %i rows, however many the transform got",
    async (size) => {
      await using dataset = await open(transform);
      const batches = await collect(dataset.batches(size));
      for (const batch of batches) expect(batch).toBeInstanceOf(Batch);
      const expected = range(0, rows).map((id) => 2 * id);
      expect(batches.map((batch) => Array.from(batch.column("twice"), Number))).toEqual(
        range(0, Math.ceil(rows / size)).map((at) => expected.slice(at * size, (at + 1) * size)),
      );
    },
  );

  test("are collated as batches", async () => {
    await using dataset = await open(transform);
    const collate = (batch: Batch) => batch.column("twice").length;
    expect(await collect(new StreamingDataLoader(dataset, { batchSize: 4, collate }))).toEqual([4, 4, 2]);
  });
});

describe("outputs as an array", () => {
  test("are its items, whatever they are, and batches are arrays", async () => {
    const items = [
      undefined,
      null,
      [1, [2]],
      new Map([[1, 2]]),
      "text",
      Number.NaN,
      () => 1,
      Symbol.iterator,
      {},
      0,
    ];
    await using dataset = await StreamingDataset.open(path, {
      shuffle: false,
      readBatchSize: 3,
      transform: async (batch) => idsOf(batch).map((id) => items[id]),
    });
    expect(await collect(dataset)).toEqual(items);
    expect(await collect(dataset.batches(4))).toEqual([items.slice(0, 4), items.slice(4, 8), items.slice(8)]);
    const collate = (batch: readonly unknown[]) => batch.length;
    expect(await collect(dataset.batches(4, { collate }))).toEqual([4, 4, 2]);
    for await (const batch of new StreamingDataLoader(dataset, { batchSize: 4 })) {
      const loaded: readonly unknown[] = batch;
      expect(loaded).toEqual(items.slice(0, 4));
      break;
    }
    expect(dataset.epoch).toBe(3);
  });
});

describe("columns", () => {
  test("of dense arrays keep their shape in batches, and are views in samples", async () => {
    const transform = (batch: Batch) => ({
      image: {
        data: Float32Array.from(idsOf(batch).flatMap((id) => range(0, 6).map((at) => id * 6 + at))),
        shape: [batch.numRows, 2, 3],
      },
      label: Int32Array.from(idsOf(batch)),
    });
    await using dataset = await open(transform);
    const [first] = await collect(dataset.batches(7));
    expect(first?.tensor("image")).toEqual({
      dtype: "float32",
      shape: [7, 2, 3],
      data: Float32Array.from(range(0, 42)),
    });
    expect(first?.column("label")).toEqual(Int32Array.from(range(0, 7)));
    expect((await collect(dataset))[4]).toEqual({ image: Float32Array.from(range(24, 30)), label: 4 });
  });

  test("of arrays have the Arrow type of their values", async () => {
    const transform = (batch: Batch) => ({
      text: idsOf(batch).map((id) => (id % 2 === 0 ? `row ${id}` : null)),
      whole: idsOf(batch).map(BigInt),
      vector: idsOf(batch).map((id) => Uint8Array.of(id, id + 1)),
      ragged: idsOf(batch).map((id) => new Float32Array(id % 3)),
      flag: idsOf(batch).map((id) => id > 4),
    });
    await using dataset = await open(transform);
    const [batch] = await collect(dataset.batches(rows));
    const types = batch?.schema.fields.map(({ name, type }) => `${name}: ${type}`);
    expect(types).toEqual([
      "text: Utf8",
      "whole: Int64",
      "vector: FixedSizeList[2]<Uint8>",
      "ragged: List<Float32>",
      "flag: Bool",
    ]);
    expect(batch?.row(3)).toEqual({
      text: null,
      whole: 3n,
      vector: Uint8Array.of(3, 4),
      ragged: new Float32Array(0),
      flag: false,
    });
    expect(batch?.tensor("vector").shape).toEqual([rows, 2]);
  });

  test("of a batch can be handed on as they are", async () => {
    await using dataset = await open((batch) => batch.select(["id"]));
    expect((await collect(dataset.batches(4))).map(idsOf)).toEqual([range(0, 4), range(4, 8), range(8, 10)]);
    await using tensors = await open((batch) => ({ id: batch.tensor("id") }));
    expect((await collect(tensors.batches(4))).map(idsOf)).toEqual([range(0, 4), range(4, 8), range(8, 10)]);
  });
});

describe("what is no output is refused by naming it:", () => {
  const empty = new Table([
    new RecordBatch({ a: makeData({ type: new Float32(), data: new Float32Array(2) }) }),
  ]);
  test.each<[string, unknown]>([
    ["transform gave undefined: it must give an array", undefined],
    ["transform gave 3", 3],
    ["transform gave an object: it must give an array", new Map([["a", [1, 2, 3]]])],
    ["transform gave a function", () => [1, 2, 3]],
    ["transform gave 2 outputs for a batch of 3 rows", [1, 2]],
    ["transform gave 4 outputs for a batch of 3 rows", [1, 2, 3, 4]],
    ["transform gave 0 outputs for a batch of 3 rows", {}],
    ["transform gave 2 outputs for a batch of 3 rows", empty],
    ['transform gave 2 values in the column "b" for a batch of 3 rows', { a: [1, 2, 3], b: [1, 2] }],
    ['The column "a" that transform gave is 7', { a: 7 }],
    [
      'The column "a" that transform gave has 5 numbers for the shape [3, 2]',
      { a: { data: new Int8Array(5), shape: [3, 2] } },
    ],
    [
      'The column "a" that transform gave has 0 numbers for the shape [3, 0]',
      { a: { data: new Int8Array(0), shape: [3, 0] } },
    ],
  ])("%s", async (message, given) => {
    for (const onTransformError of ["raise", "skip"]) {
      await using dataset = await open((() => given) as Transform, { onTransformError });
      await failure(() => collect(dataset), "TRANSFORM_FAILED", message);
    }
  });

  test.each<[string, unknown, unknown]>([
    ["an array for some rows and columns for others", [1, 2, 3], { a: [1, 2, 3] }],
    ['the columns ["a"] for some rows and ["b"] for others', { a: [1, 2, 3] }, { b: [1, 2, 3] }],
    [
      'The column "a" that transform gave is an array for some rows and Int8Array',
      { a: [1, 2, 3] },
      { a: Int8Array.of(1, 2, 3) },
    ],
    [
      "can't be joined",
      tableFromArrays({ a: Int8Array.of(1, 2, 3) }),
      tableFromArrays({ a: Int32Array.of(1, 2, 3) }),
    ],
  ])("batches that do not go together: %s", async (message, one, other) => {
    const transform = (batch: Batch) => (idsOf(batch)[0] === 0 ? one : other);
    await using dataset = await open(transform as Transform);
    await failure(() => collect(dataset.batches(5)), "TRANSFORM_FAILED", message);
  });

  test("values without a type in common, which no collate is blamed for", async () => {
    const transform = (batch: Batch) => ({ a: idsOf(batch).map((id) => (id === 1 ? "text" : 1n)) });
    await using dataset = await open(transform);
    await failure(() => collect(dataset.batches(3)), "TRANSFORM_FAILED", 'The column "a"');
    const collate = () => 0;
    await failure(() => collect(dataset.batches(3, { collate })), "TRANSFORM_FAILED", 'The column "a"');
    // As samples they are what they were given as.
    expect((await collect(dataset)).slice(0, 2)).toEqual([{ a: 1n }, { a: "text" }]);
  });
});
