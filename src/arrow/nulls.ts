import { type Data, DataType } from "apache-arrow";

/** The number of nulls in the whole of `data`. Kept by `data` once counted. */
export function nullCountOf(data: Data): number {
  if (DataType.isNull(data.type)) return data.length;
  // apache-arrow 15 takes an empty bitmap for one that says that every value is null.
  return data.nullBitmap?.length ? data.nullCount : 0;
}

/** The number of nulls among the `length` values of `data` from `start` on. O(length / 8). */
export function countNulls(data: Data, start: number, length: number): number {
  const total = nullCountOf(data);
  if (total === 0) return 0;
  if (total === data.length) return length;
  return length - countBits(data.nullBitmap, data.offset + start, length);
}

/** Whether the value at `index` of `data` is null. */
export function nullAt(data: Data, index: number): boolean {
  return nullCountOf(data) > 0 && !bitAt(data.nullBitmap, data.offset + index);
}

/** The bit at `index` of a bitmap, lowest bit first. */
export function bitAt(bits: Uint8Array, index: number): boolean {
  return (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;
}

function countBits(bits: Uint8Array, start: number, length: number): number {
  const end = start + length;
  let index = start;
  let ones = 0;
  for (; index < end && (index & 7) !== 0; index++) ones += bitAt(bits, index) ? 1 : 0;
  for (; index + 8 <= end; index += 8) ones += onesInByte(bits[index >> 3] ?? 0);
  for (; index < end; index++) ones += bitAt(bits, index) ? 1 : 0;
  return ones;
}

function onesInByte(byte: number): number {
  const pairs = byte - ((byte >> 1) & 0x55);
  const nibbles = (pairs & 0x33) + ((pairs >> 2) & 0x33);
  return (nibbles + (nibbles >> 4)) & 0x0f;
}
