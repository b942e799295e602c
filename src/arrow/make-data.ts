import { Data, DataType, type Vector } from "apache-arrow";
import type { NumericArrayConstructor } from "./numeric.ts";

/** What a column, or a part of one, is made of. Which parts there are depends on the type's storage. */
export interface DataParts {
  length: number;
  /** Where bitmaps and bits begin in their buffers, in bits; 0 by default. */
  offset?: number;
  /** Counted when asked for where it is left out. */
  nullCount?: number;
  /** Absent where there are no nulls. */
  validity?: Uint8Array | undefined;
  /** Values, keys, bits or bytes. */
  values?: ArrayBufferView;
  /** `length + 1` of them. */
  offsets?: Int32Array;
  children?: Data[];
  dictionary?: Vector;
}

/** Wraps the parts of a column, without copying any, as apache-arrow's data. */
export function makeData(type: DataType, parts: DataParts): Data {
  const { length, offset = 0, validity, values, offsets, children, dictionary } = parts;
  const { nullCount = validity === undefined ? 0 : -1 } = parts;
  const buffers = { 0: offsets, 1: values, 2: validity };
  return new Data(type, offset, length, nullCount, buffers as Partial<Data["buffers"]>, children, dictionary);
}

/** The typed array in which the installed apache-arrow expects the values of `type` (the keys of a dictionary). */
export function valuesArray(type: DataType): NumericArrayConstructor {
  return DataType.isDictionary(type) ? type.indices.ArrayType : type.ArrayType;
}
