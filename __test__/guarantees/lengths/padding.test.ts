import { Binary, Bool, Field, Float32, Int32, Int64, List, Table, Utf8, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  Batch,
  type PaddedBatch,
  padBatch,
  StreamingDataLoader,
  StreamingDataset,
} from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { known } from "../../support/known.ts";
import { collect } from "../../support/reading.ts";
import { range, tablePath, writeTable } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const list = (item: Int32 | Int64 | Float32 | Bool) => new List(new Field("item", item, true));

type Rows = readonly (readonly (number | null)[] | null)[];

function batchOf(rows: Rows): Batch {
  return Batch.fromArrow(new Table({ tokens: vectorFromArray(rows as never, list(new Int32())) }));
}

test("rows are padded to the longest, with a mask and their lengths", () => {
  const { padded } = padBatch(batchOf([[1, 2, 3], [], null, [4, null]]), { padTo: "longest", padValue: -1 });
  expect(padded["tokens"]).toEqual({
    dtype: "int32",
    shape: [4, 3],
    data: Int32Array.of(1, 2, 3, -1, -1, -1, -1, -1, -1, 4, -1, -1),
    mask: Uint8Array.of(1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0),
    lengths: Int32Array.of(3, 0, 0, 2),
  });
});

test("any rows, of whole batches and of slices, are padded as one by one", () => {
  const item = fc.option(fc.integer({ min: -100, max: 100 }), { freq: 5 });
  const rows = fc.array(fc.option(fc.array(item, { maxLength: 6 }), { freq: 5 }), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(rows, fc.nat(12), fc.integer({ min: 1, max: 8 }), (rows, start, length) => {
      const own = rows.slice(start);
      const { padded } = padBatch(batchOf(rows).slice(start), { padTo: length, padValue: 7, truncate: true });
      const { data, mask, lengths, shape } = known(padded["tokens"]);
      expect(shape).toEqual([own.length, length]);
      const cells = own.flatMap((row) => range(0, length).map((at) => row?.[at] ?? null));
      expect(Array.from(data as Int32Array)).toEqual(cells.map((cell) => cell ?? 7));
      expect(Array.from(mask)).toEqual(cells.map((cell) => (cell === null ? 0 : 1)));
      expect(Array.from(lengths)).toEqual(own.map((row) => Math.min(row?.length ?? 0, length)));
    }),
  );
});

test("a loader pads strings, binaries and lists of every width, and keeps the other columns", async () => {
  const table = new Table({
    id: vectorFromArray([0, 1, 2], new Int32()),
    text: vectorFromArray(["ä", "", "abc"], new Utf8()),
    bytes: vectorFromArray([Uint8Array.of(9), Uint8Array.of(8, 7), Uint8Array.of()], new Binary()),
    wide: vectorFromArray([[1n, 2n ** 60n], [], [3n]] as never, list(new Int64())),
    floats: vectorFromArray([[0.5], [1.5, 2.5], []] as never, list(new Float32())),
  });
  await writeTable(folder, "padded", [table]);
  await using dataset = await StreamingDataset.open(tablePath(folder, "padded"), { shuffle: false });
  const loader = new StreamingDataLoader<Batch, PaddedBatch>(dataset, {
    batchSize: 2,
    padTo: "longest",
    padValue: 5,
  });
  const [first, second] = await collect(loader);
  const { batch, padded } = known(first);
  expect(Array.from(batch.column("id"), Number)).toEqual([0, 1]);
  expect(Object.keys(padded)).toEqual(["text", "bytes", "wide", "floats"]);
  expect(padded["text"]).toMatchObject({
    dtype: "uint8",
    shape: [2, 2],
    data: Uint8Array.of(0xc3, 0xa4, 5, 5),
  });
  expect(padded["bytes"]?.data).toEqual(Uint8Array.of(9, 5, 8, 7));
  expect(padded["wide"]?.data).toEqual(BigInt64Array.of(1n, 2n ** 60n, 5n, 5n));
  expect(padded["floats"]?.data).toEqual(Float32Array.of(0.5, 5, 1.5, 2.5));
  expect(second?.padded["bytes"]).toMatchObject({
    shape: [1, 0],
    data: new Uint8Array(0),
    mask: new Uint8Array(0),
  });
});

test("wrong padding is refused", async () => {
  const batch = batchOf([[1], [1, 2, 3]]);
  const refused = (options: object, ...words: string[]) =>
    failure(() => padBatch(batch, options as never), "INVALID_ARGUMENT", ...words);
  await failure(() => padBatch([] as never, { padTo: 1 }), "INVALID_ARGUMENT", "a Batch");
  await refused({ padTo: 2 }, "row 1", "3 values", "truncate");
  await refused({ padTo: 0 }, "padTo is 0");
  await refused({ padTo: "shortest" }, "padTo");
  await refused({}, "padTo");
  await refused({ padTo: 3, padValue: 0.5 }, "padValue is 0.5", "Int32Array");
  await refused({ padTo: 3, padValue: "x" }, "padValue");
  await refused({ padTo: 3, padValue: 2 ** 40 }, "padValue");
  const flags = Batch.fromArrow(new Table({ flags: vectorFromArray([[true]] as never, list(new Bool())) }));
  await failure(() => padBatch(flags, { padTo: 1 }), "UNSUPPORTED_TYPE", "flags");
  await using dataset = await StreamingDataset.open(tablePath(folder, "padded"));
  const loader = (options: object) => new StreamingDataLoader(dataset, options);
  await failure(() => loader({ padValue: 1 }), "INVALID_ARGUMENT", "padValue");
  await failure(() => loader({ truncate: true }), "INVALID_ARGUMENT", "truncate");
  await failure(() => loader({ padTo: 3, collate: () => 1 }), "INVALID_ARGUMENT", "padBatch");
});
