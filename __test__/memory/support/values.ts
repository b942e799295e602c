import type { Batch } from "../../../src/index.ts";

/** Numbers of a row: 4 KiB of them. */
export const width = 1024;

/** The number at a place of the row with an id, exact as a float32. */
export function numberAt(id: number, place: number): number {
  return (id * 31 + place) % 65_521;
}

/** Whether `values` are those of the rows with `ids`, to the last one. */
export function isIntact(ids: ArrayLike<number>, values: ArrayLike<number>): boolean {
  if (values.length !== ids.length * width) return false;
  for (let place = 0; place < values.length; place++)
    if (values[place] !== numberAt(ids[Math.floor(place / width)] ?? -1, place % width)) return false;
  return true;
}

/** The ids of a batch. */
export function idsOf(batch: Batch): Int32Array {
  return batch.column("id") as Int32Array;
}

/** The numbers of all rows of a batch. */
export function valuesOf(batch: Batch): Float32Array {
  return batch.column("values") as Float32Array;
}
