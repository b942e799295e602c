import type { NumericArray } from "../dtype.ts";
import type { NumericArrayConstructor } from "../numeric.ts";

/** Copies typed arrays of one kind one after the other. */
export function joinArrays(pieces: readonly NumericArray[], array: NumericArrayConstructor): NumericArray {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of pieces) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return new array(bytes.buffer, 0, bytes.length / array.BYTES_PER_ELEMENT);
}
