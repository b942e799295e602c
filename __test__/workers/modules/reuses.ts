// Gives the same array for every batch.
import type { Batch } from "../../../src/index.ts";

const scratch = new Int32Array(16);

export default function reuse(batch: Batch): unknown {
  scratch.set(batch.column("id") as Int32Array);
  return { id: scratch.subarray(0, batch.numRows), raw: batch.column("id") };
}
