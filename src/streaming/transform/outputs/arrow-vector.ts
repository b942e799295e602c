import { Field, FixedSizeList, makeVector, Utf8, Vector, vectorFromArray } from "apache-arrow";
import { makeData } from "../../../arrow/make-data.ts";
import { show } from "../../../check.ts";
import { LanceLoaderError } from "../../../errors.ts";
import { acceptColumn, type OutputValues } from "./output-values.ts";

/**
 * A column of outputs as Arrow data.
 *
 * Typed arrays keep their type; more than one number a row make fixed-size lists, as do typed arrays of one length in an array. The type of
 * other arrays is that of their values: strings utf8, numbers float64, `bigint`s int64, booleans, dates, arrays lists, objects structs.
 *
 * @throws {@link LanceLoaderError} `TRANSFORM_FAILED` where the values have no type in common.
 */
export function arrowVector(name: string, column: OutputValues): Vector {
  if (column.array !== undefined) return fixedSize(column);
  const { values } = column;
  const rows = values.map((value) => (ArrayBuffer.isView(value) ? acceptColumn(name, value)[0] : undefined));
  const [first] = rows;
  if (first?.array !== undefined && rows.every((row) => isAlike(row, first))) {
    const joined = new first.array(values.length * first.values.length);
    for (const [index, row] of rows.entries()) {
      // Alike, so that a row of 64-bit integers meets an array of them.
      (joined as Float64Array).set(row?.values as Float64Array, index * first.values.length);
    }
    return fixedSize({ ...first, values: joined, sizes: [first.values.length], width: first.values.length });
  }
  return inferred(name, rows.some((row) => row !== undefined) ? values.map(plain) : values);
}

function fixedSize({ values, sizes }: Extract<OutputValues, { array: object }>): Vector {
  const vector: Vector = makeVector(values);
  let data = vector.data[0];
  for (const size of sizes.toReversed()) {
    if (data === undefined) break;
    const type = new FixedSizeList(size, new Field("item", data.type, false));
    data = makeData(type, { length: data.length / size, children: [data] });
  }
  return data === undefined ? vector : new Vector([data]);
}

function isAlike(row: OutputValues | undefined, first: OutputValues): boolean {
  return row !== undefined && row.array === first.array && row.values.length === first.values.length;
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

/** Typed arrays of different lengths are lists. */
function plain(value: unknown): unknown {
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
}
