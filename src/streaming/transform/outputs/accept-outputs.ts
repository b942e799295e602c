import { isArrowTable } from "../../../arrow/accept/accept.ts";
import { Batch } from "../../../arrow/batch.ts";
import { show } from "../../../check.ts";
import { LanceLoaderError } from "../../../errors.ts";
import { BatchOutputs } from "./batch-outputs.ts";
import { ColumnOutputs } from "./column-outputs.ts";
import { ListOutputs } from "./list-outputs.ts";
import { acceptColumn } from "./output-values.ts";
import type { Outputs } from "./outputs.ts";

/**
 * The outputs that a transform gave for a batch.
 *
 * @throws {@link LanceLoaderError} `TRANSFORM_FAILED` where they are none, or not one for each row.
 */
export function acceptOutputs(given: unknown, numRows: number): Outputs {
  const outputs = formOf(given, numRows);
  if (outputs.numRows !== numRows) throw wrongCount("outputs", outputs.numRows, numRows);
  return outputs;
}

function formOf(given: unknown, numRows: number): Outputs {
  if (Array.isArray(given)) return new ListOutputs(given);
  if (given instanceof Batch) return new BatchOutputs(given);
  if (isArrowTable(given)) return new BatchOutputs(fromArrow(given));
  if (typeof given === "object" && given !== null && isPlain(given)) return columnsOf(given, numRows);
  throw new LanceLoaderError(
    "TRANSFORM_FAILED",
    `transform gave ${show(given)}: it must give an array with one output a row, an object of columns, or Arrow data.`,
  );
}

function fromArrow(table: Parameters<typeof Batch.fromArrow>[0]): Batch {
  try {
    return Batch.fromArrow(table);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new LanceLoaderError(
      "TRANSFORM_FAILED",
      `The Arrow data that transform gave is refused: ${message}`,
      {
        cause,
      },
    );
  }
}

function columnsOf(given: object, numRows: number): ColumnOutputs {
  const columns = Object.entries(given).map(([name, column]) => {
    const [values, length] = acceptColumn(name, column);
    if (length !== numRows) throw wrongCount(`values in the column ${show(name)}`, length, numRows);
    return [name, values] as const;
  });
  return new ColumnOutputs(new Map(columns), columns.length === 0 ? 0 : numRows);
}

/** Whether an object is one of columns, and no instance of some class. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function wrongCount(what: string, given: number, numRows: number): LanceLoaderError {
  return new LanceLoaderError(
    "TRANSFORM_FAILED",
    `transform gave ${given} ${what} for a batch of ${numRows} rows: it must give one for each row. To leave rows out, throw for them, and set onTransformError.`,
  );
}
