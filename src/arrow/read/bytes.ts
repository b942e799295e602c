import { isAscii } from "node:buffer";
import type { Data } from "apache-arrow";
import type { ReadValue } from "./reader.ts";

/**
 * The longest string that V8 copies when it is cut out of a longer one.
 *
 * A longer piece is a reference that keeps the whole string that it was cut from alive
 * (`SlicedString::kMinLength` in V8's `objects/string.h`).
 */
const longestCopiedSlice = 12;

/** Reads views of variable length. */
export function binaryReader({ values: { buffer, byteOffset }, valueOffsets }: Data): ReadValue {
  return (index) => {
    const start: number = valueOffsets[index];
    return new Uint8Array(buffer, byteOffset + start, valueOffsets[index + 1] - start);
  };
}

/**
 * Reads strings; bytes that are no UTF-8 become U+FFFD.
 *
 * Short ASCII strings (labels, mostly) are cut out of one string that is decoded at once, a call into the engine
 * being dearer than such a string. Long ones are decoded one by one, so that a string that is kept keeps nothing else.
 */
export function stringReader({ values, valueOffsets, length }: Data): ReadValue {
  const first: number = valueOffsets[0];
  const byteLength: number = valueOffsets[length] - first;
  const bytes = Buffer.from(values.buffer, values.byteOffset + first, byteLength);
  if (byteLength <= length * longestCopiedSlice && isAscii(bytes)) {
    const text = bytes.toString("latin1");
    return (index) => text.slice(valueOffsets[index] - first, valueOffsets[index + 1] - first);
  }
  return (index) => bytes.toString("utf8", valueOffsets[index] - first, valueOffsets[index + 1] - first);
}
