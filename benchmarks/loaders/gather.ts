import type { Data, Vector } from "apache-arrow";
import type { ByteValues, ColumnValues } from "./tally.ts";

/** Where the rows of a table of several record batches are. */
export interface Places {
  readonly chunk: Int32Array;
  readonly row: Int32Array;
}

/** The rows of `vector` at `places`, in that order, copied. */
export function gather(vector: Vector, places: Places, decoded: boolean): ColumnValues {
  if (vector.data.some(({ valueOffsets }) => valueOffsets !== undefined))
    return decoded ? decode(vector, places) : gatherBytes(vector, places);
  const list = vector.data.every(({ children }) => children.length === 1);
  const values = vector.data.map((data) => (list ? (data.children[0] as Data).values : data.values));
  if (!list) return Int32Array.from(places.row, (row, k) => values[places.chunk[k] as number][row]);
  const width = (vector.type as { listSize: number }).listSize;
  const numbers = new Float32Array(places.row.length * width);
  for (const [k, row] of places.row.entries()) {
    const source: Float32Array = values[places.chunk[k] as number];
    numbers.set(source.subarray(row * width, (row + 1) * width), k * width);
  }
  return { numbers, width };
}

/** The same of a column of 64-bit integers. */
export function gatherIds(vector: Vector, { chunk, row }: Places): BigInt64Array {
  const values: BigInt64Array[] = vector.data.map((data) => data.values);
  return BigInt64Array.from(row, (at, k) => values[chunk[k] as number]?.[at] as bigint);
}

function gatherBytes(vector: Vector, { chunk, row }: Places): ByteValues {
  const offsets = new Int32Array(row.length + 1);
  const sources = Array.from(row, (at, k) => {
    const { valueOffsets, values } = vector.data[chunk[k] as number] as Data;
    const source: Uint8Array = values.subarray(valueOffsets[at], valueOffsets[at + 1]);
    offsets[k + 1] = (offsets[k] as number) + source.length;
    return source;
  });
  const bytes = new Uint8Array(offsets[row.length] as number);
  for (const [k, source] of sources.entries()) bytes.set(source, offsets[k]);
  return { offsets, bytes };
}

function decode(vector: Vector, { chunk, row }: Places): string[] {
  return Array.from(row, (at, k) => {
    const { valueOffsets, values } = vector.data[chunk[k] as number] as Data;
    const start: number = valueOffsets[at];
    return Buffer.from(values.buffer, values.byteOffset + start, valueOffsets[at + 1] - start).toString();
  });
}
