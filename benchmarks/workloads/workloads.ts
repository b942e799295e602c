import {
  Binary,
  type Data,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
} from "apache-arrow";
import { randomWords } from "./random-words.ts";
import type { Workload } from "./workload.ts";

const vectorSize = 256;
const blobBytes = 4096;
const minText = 100;
const maxText = 600;

/** Vectors: 1,036 bytes a row of fixed width. */
const w1: Workload = {
  name: "W1",
  description: "int64, fixed-size list of 256 float32, int32",
  rows: 200_000,
  chunkRows: 20_000,
  chunk(start, end) {
    const length = end - start;
    const words = randomWords(new Uint32Array(length * vectorSize), start);
    const vector = new FixedSizeList(vectorSize, new Field("item", new Float32(), true));
    const items = makeData({ type: new Float32(), data: Float32Array.from(words, (word) => word / 2 ** 32) });
    const labels = Int32Array.from({ length }, (_, index) => (start + index) % 1000);
    return table(start, end, [
      ["vector", makeData({ type: vector, length, nullCount: 0, child: items })],
      ["label", makeData({ type: new Int32(), data: labels })],
    ]);
  },
};

/** Bytes: 4 KiB a row that no encoding shrinks. */
const w2: Workload = {
  name: "W2",
  description: "int64, 4096 random bytes",
  rows: 49_152,
  chunkRows: 8192,
  chunk(start, end) {
    const length = end - start;
    const data = new Uint8Array(randomWords(new Uint32Array((length * blobBytes) / 4), start).buffer);
    const valueOffsets = Int32Array.from({ length: length + 1 }, (_, index) => index * blobBytes);
    return table(start, end, [["bytes", makeData({ type: new Binary(), valueOffsets, data })]]);
  },
};

/** Text: 100 to 600 ASCII characters a row. */
const w3: Workload = {
  name: "W3",
  description: "int64, text of 100 to 600 ASCII characters",
  rows: 500_000,
  chunkRows: 50_000,
  chunk(start, end) {
    const lengths = randomWords(new Uint32Array(end - start), start + 1);
    const valueOffsets = new Int32Array(lengths.length + 1);
    let bytes = 0;
    for (const [index, word] of lengths.entries()) {
      bytes += minText + (word % (maxText - minText + 1));
      valueOffsets[index + 1] = bytes;
    }
    const data = Uint8Array.from(randomWords(new Uint32Array(bytes), start + 2), (word) => 97 + (word % 26));
    return table(start, end, [["text", makeData({ type: new Utf8(), valueOffsets, data })]]);
  },
};

/** Every workload. */
export const workloads: readonly Workload[] = [w1, w2, w3];

/** A workload by its name, with other rows than its own where they are given. */
export function workloadOf(name: string, rows?: number): Workload {
  const workload = workloads.find((each) => each.name === name);
  if (workload === undefined) throw new Error(`There is no workload ${name}.`);
  return rows === undefined ? workload : { ...workload, rows };
}

function table(start: number, end: number, others: readonly [string, Data][]): Table {
  const length = end - start;
  const ids = BigInt64Array.from({ length }, (_, index) => BigInt(start + index));
  const columns: [string, Data][] = [["id", makeData({ type: new Int64(), data: ids })], ...others];
  const schema = new Schema(columns.map(([name, data]) => new Field(name, data.type, true)));
  const children = columns.map(([, data]) => data);
  const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children });
  return new Table(schema, [new RecordBatch(schema, data)]);
}
