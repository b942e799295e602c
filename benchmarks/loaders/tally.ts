import type { EpochCount } from "./job.ts";

/** Variable-length values of a batch: offsets into bytes, as Arrow has them. */
export interface ByteValues {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

/** Lists of `width` numbers, row after row. */
interface Vectors {
  readonly numbers: Float32Array;
  readonly width: number;
}

/** A column of a batch in the forms that loaders deliver. */
export type ColumnValues = Int32Array | Vectors | ByteValues | readonly string[];

/** What was counted of an epoch, beside its times. */
export type RowCount = Omit<EpochCount, "seconds" | "cpuSeconds" | "firstBatchSeconds" | "firstBatchRows">;

/** Counts the rows of one epoch, batch by batch. `tally.py` is its twin: both must count alike. */
export class Tally {
  readonly #seen: Uint8Array;
  #rows = 0;
  #batches = 0;
  #distinct = 0;
  #idSum = 0;
  #touched = 0;
  #spread = 0;

  /** @param rows - Rows of the table; ids are from 0 to below it. */
  constructor(rows: number) {
    this.#seen = new Uint8Array(rows);
  }

  /** Counts a batch: its ids, and something of every row of every other column. */
  add(ids: BigInt64Array, columns: readonly ColumnValues[]): void {
    this.#rows += ids.length;
    this.#batches += 1;
    this.#addIds(ids);
    for (const column of columns) this.#touched += touch(column);
  }

  /** What was counted until now. */
  get count(): RowCount {
    return {
      rows: this.#rows,
      batches: this.#batches,
      distinct: this.#distinct,
      idSum: this.#idSum,
      touched: this.#touched,
      spread: this.#spread,
    };
  }

  // Halves of 32 bits: a bigint a row would cost more than some of the loaders do.
  #addIds(ids: BigInt64Array): void {
    const halves = new Int32Array(ids.buffer, ids.byteOffset, ids.length * 2);
    let sum = 0;
    let squares = 0;
    for (let at = 0; at < halves.length; at += 2) {
      const id = (halves[at] as number) + (halves[at + 1] as number) * 2 ** 32;
      if (this.#seen[id] === 0) {
        this.#seen[id] = 1;
        this.#distinct += 1;
      }
      sum += id;
      squares += id * id;
    }
    const mean = sum / ids.length;
    this.#idSum += sum;
    this.#spread += Math.sqrt(Math.max(0, squares / ids.length - mean * mean));
  }
}

/**
 * Reads something of every row: integers are added up; of a list of numbers its first and its last one; of text or bytes the first
 * and the last byte and the length.
 */
export function touch(column: ColumnValues): number {
  if (column instanceof Int32Array) return column.reduce((sum, value) => sum + value, 0);
  if ("width" in column) return touchVectors(column);
  return "bytes" in column ? touchBytes(column) : touchStrings(column);
}

function touchVectors({ numbers, width }: Vectors): number {
  let sum = 0;
  for (let at = 0; at < numbers.length; at += width)
    sum += (numbers[at] as number) + (numbers[at + width - 1] as number);
  return sum;
}

function touchBytes({ offsets, bytes }: ByteValues): number {
  let sum = 0;
  for (let row = 1; row < offsets.length; row++) {
    const start = offsets[row - 1] as number;
    const end = offsets[row] as number;
    sum += (bytes[start] as number) + (bytes[end - 1] as number) + (end - start);
  }
  return sum;
}

function touchStrings(values: readonly string[]): number {
  let sum = 0;
  for (const value of values) sum += value.charCodeAt(0) + value.charCodeAt(value.length - 1) + value.length;
  return sum;
}
