import { bitAt } from "../nulls.ts";
import { viewAs } from "../numeric.ts";
import { checkOffset } from "../offsets.ts";
import type { ForeignData } from "./foreign.ts";

/** The bytes of a view: its length, then either up to 12 bytes or (prefix, buffer, offset), in 32 bits each. */
const viewBytes = 16;
const longestInline = 12;

/**
 * The strings or bytes of a view type one after the other, with 32-bit offsets. Copies them.
 *
 * The layout of views is the Arrow format's (variable-size binary view layout).
 *
 * @throws {@link LanceLoaderError} `BATCH_TOO_LARGE` where they pass 2^31 - 1 bytes.
 */
export function plainViews(data: ForeignData): { offsets: Int32Array; values: Uint8Array } {
  const pieces = Array.from({ length: data.length }, (_, index) => viewAt(data, index));
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const offsets = new Int32Array(data.length + 1);
  const values = new Uint8Array(checkOffset(total));
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    values.set(piece, end);
    end += piece.length;
    offsets[index + 1] = end;
  }
  return { offsets, values };
}

const nothing = new Uint8Array(0);

function viewAt(
  { values, nullBitmap, offset, variadicBuffers = [] }: ForeignData,
  index: number,
): Uint8Array {
  if (values === undefined) return nothing;
  if (nullBitmap?.length && !bitAt(nullBitmap, offset + index)) return nothing;
  const start = index * viewBytes;
  const view = new DataView(values.buffer, values.byteOffset + start, viewBytes);
  const length = view.getInt32(0, true);
  if (length <= longestInline) return new Uint8Array(values.buffer, values.byteOffset + start + 4, length);
  const buffer = viewAs(variadicBuffers[view.getInt32(8, true)] ?? nothing, Uint8Array) as Uint8Array;
  const from = view.getInt32(12, true);
  return buffer.subarray(from, from + length);
}
