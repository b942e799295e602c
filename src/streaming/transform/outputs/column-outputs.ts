import { Table } from "apache-arrow";
import { Batch } from "../../../arrow/batch.ts";
import { joinArrays } from "../../../arrow/concat/join-arrays.ts";
import type { NumericArray } from "../../../arrow/dtype.ts";
import { show } from "../../../check.ts";
import { LanceLoaderError } from "../../../errors.ts";
import { arrowVector } from "./arrow-vector.ts";
import type { OutputValues } from "./output-values.ts";
import type { Outputs } from "./outputs.ts";

/** Outputs as columns. They become Arrow data only where a batch of them is handed over. */
export class ColumnOutputs implements Outputs {
  readonly form = "columns";
  readonly numRows: number;
  readonly #columns: ReadonlyMap<string, OutputValues>;

  constructor(columns: ReadonlyMap<string, OutputValues>, numRows: number) {
    this.#columns = columns;
    this.numRows = numRows;
  }

  slice(start: number, end: number): ColumnOutputs {
    return new ColumnOutputs(
      this.#map((column) => slice(column, start, end)),
      end - start,
    );
  }

  join(others: readonly ColumnOutputs[]): ColumnOutputs {
    const names = [...this.#columns.keys()];
    const different = others.find(
      (other) => other.#columns.size !== names.length || !names.every((name) => other.#columns.has(name)),
    );
    if (different !== undefined)
      throw new LanceLoaderError(
        "TRANSFORM_FAILED",
        `transform gave the columns ${show(names)} for some rows and ${show([...different.#columns.keys()])} for others: it must give the same ones for all.`,
      );
    const numRows = others.reduce((sum, other) => sum + other.numRows, this.numRows);
    const joined = this.#map((column, name) =>
      join(
        name,
        column,
        others.map((other) => other.#columns.get(name) as OutputValues),
      ),
    );
    return new ColumnOutputs(joined, numRows);
  }

  rows(): readonly unknown[] {
    const rows = Array.from({ length: this.numRows }, (): Record<string, unknown> => ({}));
    for (const [name, column] of this.#columns) {
      for (const [index, row] of rows.entries()) row[name] = valueAt(column, index);
    }
    return rows;
  }

  value(): Batch {
    const vectors = Array.from(this.#columns, ([name, column]) => [name, arrowVector(name, column)] as const);
    return Batch.fromArrow(new Table(Object.fromEntries(vectors)));
  }

  #map(change: (column: OutputValues, name: string) => OutputValues): ReadonlyMap<string, OutputValues> {
    return new Map(Array.from(this.#columns, ([name, column]) => [name, change(column, name)]));
  }
}

function slice(column: OutputValues, start: number, end: number): OutputValues {
  if (column.array === undefined) return { ...column, values: column.values.slice(start, end) };
  return { ...column, values: column.values.subarray(start * column.width, end * column.width) };
}

/** A number where a row has one, a view where it has more. */
function valueAt(column: OutputValues, index: number): unknown {
  if (column.array === undefined || column.sizes.length === 0) return column.values[index];
  return column.values.subarray(index * column.width, (index + 1) * column.width);
}

function join(name: string, first: OutputValues, others: readonly OutputValues[]): OutputValues {
  if (others.some((other) => kindOf(other) !== kindOf(first))) {
    const kinds = [...new Set([first, ...others].map(kindOf))];
    throw new LanceLoaderError(
      "TRANSFORM_FAILED",
      `The column ${show(name)} that transform gave is ${kinds.join(" for some rows and ")} for others: it must be of one kind.`,
    );
  }
  if (first.array === undefined)
    return { ...first, values: first.values.concat(...others.map((other) => other.values as unknown[])) };
  const pieces = [first, ...others].map((piece) => piece.values as NumericArray);
  return { ...first, values: joinArrays(pieces, first.array) };
}

function kindOf(column: OutputValues): string {
  if (column.array === undefined) return "an array";
  const { name } = column.array as { name?: string };
  return column.sizes.length === 0 ? `${name}` : `${name} of [${column.sizes.join(", ")}] a row`;
}
