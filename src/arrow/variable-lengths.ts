import { DataType } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import type { Batch } from "./batch.ts";
import { nullAt } from "./nulls.ts";

/** Whether rows of a type have lengths of their own: strings, binaries and lists. */
export function hasLengths(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isBinary(type) || DataType.isList(type);
}

/**
 * The length of each row of a column: bytes of strings and binaries, items of lists; 0 for a null.
 *
 * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`; `UNSUPPORTED_TYPE` for another type.
 */
export function lengthsOf(batch: Batch, column: string): Int32Array {
  const [data] = batch.vector(column).data;
  if (data === undefined || !hasLengths(data.type)) throw noLengths(column, data?.type);
  const offsets = data.valueOffsets;
  return Int32Array.from({ length: batch.numRows }, (_, row) =>
    nullAt(data, row) ? 0 : (offsets[row + 1] ?? 0) - (offsets[row] ?? 0),
  );
}

/** The error for a column whose rows have no lengths. */
export function noLengths(column: string, type: DataType | undefined): LanceLoaderError {
  return new LanceLoaderError(
    "UNSUPPORTED_TYPE",
    `The column ${JSON.stringify(column)} has the Arrow type ${type}; rows of strings, binaries and lists have lengths of their own: choose such a column.`,
  );
}
