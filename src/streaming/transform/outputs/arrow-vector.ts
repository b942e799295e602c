import {
  type Data,
  Field,
  FixedSizeList,
  List,
  makeVector,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { joinArrays } from "../../../arrow/concat/join-arrays.ts";
import type { NumericArray } from "../../../arrow/dtype.ts";
import { makeData } from "../../../arrow/make-data.ts";
import { show } from "../../../check.ts";
import { LanceLoaderError } from "../../../errors.ts";
import { numbersOf, type OutputValues } from "./output-values.ts";

/**
 * A column of outputs as Arrow data.
 *
 * Typed arrays keep their type; more than one number a row make fixed-size lists. Typed arrays in an array make fixed-size lists where all are of one length,
 * else lists. The type of other arrays is that of their values: strings utf8, numbers float64, `bigint`s int64, booleans, dates, arrays lists, objects
 * structs.
 *
 * @throws {@link LanceLoaderError} `TRANSFORM_FAILED` where the values have no type in common.
 */
export function arrowVector(name: string, column: OutputValues): Vector {
  if (column.array !== undefined) return new Vector([fixedSize(column.values, column.sizes)]);
  return lists(column.values) ?? inferred(name, column.values);
}

function numbers(values: NumericArray): Data {
  return (makeVector(values) as Vector).data[0] as Data;
}

function fixedSize(values: NumericArray, sizes: readonly number[]): Data {
  return sizes.toReversed().reduce((items, size) => {
    const type = new FixedSizeList(size, new Field("item", items.type, false));
    return makeData(type, { length: items.length / size, children: [items] });
  }, numbers(values));
}

/** Typed arrays of one kind, one a row. */
function lists(values: readonly unknown[]): Vector | undefined {
  const rows = values.map(numbersOf);
  const [first] = rows;
  if (first === undefined || rows.some((row) => row?.array !== first.array)) return;
  const pieces = rows.flatMap((row) => (row === undefined ? [] : [row.values]));
  const joined = joinArrays(pieces, first.array);
  const width = first.values.length;
  if (width > 0 && pieces.every((piece) => piece.length === width))
    return new Vector([fixedSize(joined, [width])]);
  const offsets = new Int32Array(pieces.length + 1);
  for (const [row, piece] of pieces.entries()) offsets[row + 1] = (offsets[row] ?? 0) + piece.length;
  const items = numbers(joined);
  const type = new List(new Field("item", items.type, false));
  return new Vector([makeData(type, { length: pieces.length, offsets, children: [items] })]);
}

function inferred(name: string, values: readonly unknown[]): Vector {
  try {
    if (values.every((value) => typeof value === "string" || value === null))
      return vectorFromArray(values as readonly string[], new Utf8());
    return vectorFromArray(values);
  } catch (cause) {
    throw new LanceLoaderError(
      "TRANSFORM_FAILED",
      `The column ${show(name)} that transform gave has values without an Arrow type in common: give a typed array, an array of one type, or one output a row.`,
      { cause },
    );
  }
}
