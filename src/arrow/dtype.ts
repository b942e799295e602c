/** The typed array that holds the elements of each {@link Dtype}. */
export interface DtypeArrays {
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  /** The 16 bits of each IEEE 754 half: not every supported Node.js has a `Float16Array`. */
  float16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  /** One byte an element, 0 or 1. */
  bool: Uint8Array;
}

/** The name of a tensor's element type. */
export type Dtype = keyof DtypeArrays;

/** Any typed array that holds the elements of a column. */
export type NumericArray = DtypeArrays[Dtype];
