import type { Data } from "apache-arrow";
import { bitAt } from "../nulls.ts";

/**
 * Joins one bitmap of each piece of a column, whatever bits they begin at.
 *
 * @param bitmap - the bitmap of a piece; `undefined` stands for ones only.
 */
export function joinBits(
  chunks: readonly Data[],
  length: number,
  bitmap: (chunk: Data) => Uint8Array | undefined,
): Uint8Array {
  const joined = new Uint8Array(Math.ceil(length / 8));
  let at = 0;
  for (const chunk of chunks) {
    const bits = bitmap(chunk);
    for (let index = 0; index < chunk.length; index++, at++) {
      if (bits === undefined || bitAt(bits, chunk.offset + index))
        joined[at >> 3] = (joined[at >> 3] ?? 0) | (1 << (at & 7));
    }
  }
  return joined;
}
