import { type Data, DataType } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import type { Dtype, DtypeArrays, NumericArray } from "./dtype.ts";
import { bitAt, countNulls } from "./nulls.ts";
import { numericOf, viewAs } from "./numeric.ts";

/**
 * A column as one dense array: `data` holds the elements in C order (row after row), `shape` the sizes, rows first.
 *
 * `dtype` tells which typed array `data` is: see {@link DtypeArrays}. It shares the memory of its batch, but for `bool`, which is
 * unpacked.
 */
export type Tensor = {
  [D in Dtype]: { readonly dtype: D; readonly shape: readonly number[]; readonly data: DtypeArrays[D] };
}[Dtype];

/**
 * The values of `data` from `start` on as a tensor.
 *
 * @param column - the column, for messages.
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where a value, a list or an item is null, `UNSUPPORTED_TYPE` where the values have no
 * fixed shape of numbers.
 */
export function readTensor(column: string, data: Data, start: number, length: number): Tensor {
  refuseNulls(column, data, start, length);
  const { type } = data;
  if (DataType.isFixedSizeList(type)) {
    const { listSize } = type;
    const items = readTensor(column, data.children[0] as Data, start * listSize, length * listSize);
    return { ...items, shape: [length, listSize, ...items.shape.slice(1)] };
  }
  if (DataType.isFixedSizeBinary(type)) {
    const { byteWidth } = type;
    const bytes = data.values.subarray(start * byteWidth, (start + length) * byteWidth);
    return { dtype: "uint8", shape: [length, byteWidth], data: bytes };
  }
  if (DataType.isBool(type)) return { dtype: "bool", shape: [length], data: unpackBits(data, start, length) };
  const numeric = numericOf(type);
  if (numeric === undefined) throw noTensor(column, type);
  const values: NumericArray = viewAs(data.values, numeric.array).subarray(start, start + length);
  return { dtype: numeric.dtype, shape: [length], data: values } as Tensor;
}

function refuseNulls(column: string, data: Data, start: number, length: number): void {
  const nulls = countNulls(data, start, length);
  if (nulls === 0) return;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `The column ${JSON.stringify(column)} holds nulls (${nulls} in this batch), and a typed array has no place for them: use rows() or vector(), or filter them out.`,
  );
}

function noTensor(column: string, type: DataType): LanceLoaderError {
  return new LanceLoaderError(
    "UNSUPPORTED_TYPE",
    `The column ${JSON.stringify(column)} has the Arrow type ${type}; only numbers, dates, times, booleans, fixed-size binary and fixed-size lists of them are typed arrays: use rows() or vector().`,
  );
}

function unpackBits({ values, offset }: Data, start: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (bitAt(values, offset + start + index) ? 1 : 0));
}
