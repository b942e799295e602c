import type { NumericArray } from "./dtype.ts";

/**
 * One value of a row.
 *
 * | Arrow type | value |
 * | --- | --- |
 * | null, in a column of any type | `null` |
 * | integers of up to 32 bits, float32, float64 | `number` |
 * | float16 | `number`, decoded |
 * | int64, uint64 | `bigint` |
 * | bool | `boolean` |
 * | utf8 | `string` |
 * | binary, fixed-size binary | `Uint8Array`, a view |
 * | decimal | exact decimal `string`: `"-1.500"` for decimal(18, 3) |
 * | date, timestamp in s or ms | `Date` (an invalid one beyond the range of `Date`, 275,760 years) |
 * | timestamp in us or ns | `bigint` in that unit since 1970 |
 * | time in s or ms | `number` in that unit |
 * | time in us or ns, duration | `bigint` in the column's unit |
 * | interval | {@link IntervalValue} |
 * | list and fixed-size list of numbers, no item null | typed array: a view of the bytes, `BigInt64Array` or `BigUint64Array` for 64 bits; of float16 a decoded `Float32Array` |
 * | other lists | array, with `null` for nulls |
 * | struct | plain object |
 * | map | `Map` |
 * | dictionary | the value that the key stands for; rows with equal keys share one object |
 *
 * "Numbers" are the types whose own value is a `number` or a `bigint`. A view keeps the memory of its whole batch alive: copy
 * (`slice()`) what is kept for longer than the batch.
 */
export type RowValue =
  | null
  | number
  | bigint
  | boolean
  | string
  | Date
  | NumericArray
  | IntervalValue
  | RowValue[]
  | Map<RowValue, RowValue>
  | { [field: string]: RowValue };

/** One row: the values by column name, in the order of the schema. */
export type Row = Record<string, RowValue>;

/** The value of an interval column: months of a year-month interval, or the parts of the other kinds. */
export type IntervalValue =
  | number
  | { days: number; milliseconds: number }
  | { months: number; days: number; nanoseconds: bigint };
