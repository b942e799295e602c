import type { NumericArray } from "../../../arrow/dtype.ts";
import type { NumericArrayConstructor } from "../../../arrow/numeric.ts";
import { show } from "../../../check.ts";
import { LanceLoaderError } from "../../../errors.ts";

/** The values of a column of outputs. */
export type OutputValues =
  /** Of any kind, one a row. */
  | { readonly values: readonly unknown[]; readonly array: undefined }
  /** Numbers, `width` of them a row, which have the shape `sizes`. */
  | {
      readonly values: NumericArray;
      readonly array: NumericArrayConstructor;
      readonly sizes: readonly number[];
      readonly width: number;
    };

const arrays: readonly NumericArrayConstructor[] = [
  Int8Array,
  Int16Array,
  Int32Array,
  BigInt64Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
];

/**
 * The values of a column that a transform gave, and how many rows they are.
 *
 * @throws {@link LanceLoaderError} `TRANSFORM_FAILED`.
 */
export function acceptColumn(name: string, column: unknown): readonly [OutputValues, number] {
  if (Array.isArray(column)) return [{ values: column, array: undefined }, column.length];
  const plain = numbersOf(column);
  if (plain !== undefined) return [{ ...plain, sizes: [], width: 1 }, plain.values.length];
  const { data, shape } = (typeof column === "object" && column !== null ? column : {}) as {
    data?: unknown;
    shape?: unknown;
  };
  const dense = numbersOf(data);
  if (dense === undefined || !isShape(shape))
    throw bad(name, `is ${show(column)}: it must be an array, a typed array, or { data, shape }`);
  const [rows = 0, ...sizes] = shape;
  const width = sizes.reduce((product, size) => product * size, 1);
  if (width * rows !== dense.values.length || width === 0)
    throw bad(
      name,
      `has ${dense.values.length} numbers for the shape ${show(shape)}, which must be rows first and hold as many`,
    );
  return [{ ...dense, sizes, width }, rows];
}

function bad(name: string, what: string): LanceLoaderError {
  return new LanceLoaderError("TRANSFORM_FAILED", `The column ${show(name)} that transform gave ${what}.`);
}

/** A typed array, and its class. */
export function numbersOf(
  values: unknown,
): { values: NumericArray; array: NumericArrayConstructor } | undefined {
  if (values instanceof Uint8ClampedArray)
    return numbersOf(new Uint8Array(values.buffer, values.byteOffset, values.length));
  const array = arrays.find((known) => values instanceof known);
  return array && { values: values as NumericArray, array };
}

function isShape(shape: unknown): shape is readonly number[] {
  const isSize = (size: unknown) => typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
  return Array.isArray(shape) && shape.length > 0 && shape.every(isSize);
}
