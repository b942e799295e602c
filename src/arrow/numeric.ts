import { DataType, Precision } from "apache-arrow";
import type { Dtype, NumericArray } from "./dtype.ts";

/** What makes a typed array of one element type. */
export interface NumericArrayConstructor {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): NumericArray;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): NumericArray;
}

/** How the values of a numeric Arrow type lie in memory. */
export interface Numeric {
  readonly dtype: Dtype;
  readonly array: NumericArrayConstructor;
}

const int32: Numeric = { dtype: "int32", array: Int32Array };
const int64: Numeric = { dtype: "int64", array: BigInt64Array };
const integers = new Map<string, Numeric>([
  ["i8", { dtype: "int8", array: Int8Array }],
  ["i16", { dtype: "int16", array: Int16Array }],
  ["i32", int32],
  ["i64", int64],
  ["u8", { dtype: "uint8", array: Uint8Array }],
  ["u16", { dtype: "uint16", array: Uint16Array }],
  ["u32", { dtype: "uint32", array: Uint32Array }],
  ["u64", { dtype: "uint64", array: BigUint64Array }],
]);
const floats = new Map<Precision, Numeric>([
  [Precision.HALF, { dtype: "float16", array: Uint16Array }],
  [Precision.SINGLE, { dtype: "float32", array: Float32Array }],
  [Precision.DOUBLE, { dtype: "float64", array: Float64Array }],
]);

/**
 * How the values of `type` lie in memory, or `undefined` where they are no plain numbers.
 *
 * Decided by the type alone: apache-arrow's own `ArrayType` of 64-bit dates and of timestamps differs between its versions
 * (pairs of 32-bit halves before 18).
 */
export function numericOf(type: DataType): Numeric | undefined {
  if (DataType.isInt(type)) return integers.get(`${type.isSigned ? "i" : "u"}${type.bitWidth}`);
  if (DataType.isFloat(type)) return floats.get(type.precision);
  if (DataType.isDate(type)) return type.unit === 0 ? int32 : int64;
  if (DataType.isTime(type)) return type.bitWidth === 32 ? int32 : int64;
  return DataType.isTimestamp(type) || DataType.isDuration(type) ? int64 : undefined;
}

/**
 * The same bytes as elements of another type: `values` itself where it is of that type, a view where the alignment
 * allows it, otherwise a copy.
 */
export function viewAs(values: ArrayBufferView, array: NumericArrayConstructor): NumericArray {
  if (values.constructor === array) return values as NumericArray;
  const length = Math.floor(values.byteLength / array.BYTES_PER_ELEMENT);
  if (values.byteOffset % array.BYTES_PER_ELEMENT === 0) {
    return new array(values.buffer, values.byteOffset, length);
  }
  const copy = new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice();
  return new array(copy.buffer, 0, length);
}
