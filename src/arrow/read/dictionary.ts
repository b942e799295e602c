import type { RowValue } from "../row-value.ts";
import type { ReadValue, ValueReader } from "./reader.ts";

/** Reads what dictionary keys stand for. Each value is read once and kept. */
export function dictionaryReader(reader: ValueReader): ValueReader {
  return ({ values: keys, dictionary }) => {
    const chunks = (dictionary?.data ?? []).map((chunk) => ({ length: chunk.length, read: reader(chunk) }));
    const kept = new Map<number, RowValue>();
    return (index) => {
      const key = Number(keys[index]);
      let value = kept.get(key);
      if (value === undefined) {
        value = readChunked(chunks, key);
        kept.set(key, value);
      }
      return value;
    };
  };
}

/** A dictionary that grew from batch to batch has one chunk for each growth. */
function readChunked(chunks: readonly { length: number; read: ReadValue }[], key: number): RowValue {
  let first = 0;
  for (const { length, read } of chunks) {
    if (key < first + length) return read(key - first);
    first += length;
  }
  return null;
}
