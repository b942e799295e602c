import { viewAs } from "../numeric.ts";
import { checkOffset } from "../offsets.ts";
import type { ForeignData } from "./foreign.ts";

/** 32-bit offsets, and the range of bytes or items that they count in. */
export interface PlainOffsets {
  readonly offsets: Int32Array;
  readonly start: number;
  readonly end: number;
}

/**
 * The offsets of `data` in 32 bits: as they are where they have 32 bits, else counted anew from the first one.
 *
 * @throws {@link LanceLoaderError} `BATCH_TOO_LARGE` where they pass 2^31 - 1.
 */
export function plainOffsets({ valueOffsets, length }: ForeignData): PlainOffsets {
  if (valueOffsets === undefined || length === 0) return { offsets: new Int32Array(1), start: 0, end: 0 };
  if (valueOffsets.BYTES_PER_ELEMENT === 4) {
    const offsets = viewAs(valueOffsets, Int32Array) as Int32Array;
    return { offsets, start: 0, end: offsets[length] ?? 0 };
  }
  const start = Number(valueOffsets[0]);
  const end = Number(valueOffsets[length]);
  checkOffset(end - start);
  const offsets = Int32Array.from({ length: length + 1 }, (_, at) => Number(valueOffsets[at]) - start);
  return { offsets, start, end };
}
