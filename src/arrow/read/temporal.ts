import { DataType, type Interval, IntervalUnit, TimeUnit } from "apache-arrow";
import { type Numeric, viewAs } from "../numeric.ts";
import type { ValueReader } from "./reader.ts";

/** The milliseconds in one unit of `type`, where its values are read as a `Date`; otherwise `undefined`. */
export function dateUnit(type: DataType): number | undefined {
  if (DataType.isDate(type)) return type.unit === 0 ? 86_400_000 : 1;
  if (!DataType.isTimestamp(type)) return undefined;
  if (type.unit === TimeUnit.SECOND) return 1000;
  return type.unit === TimeUnit.MILLISECOND ? 1 : undefined;
}

/** Reads dates whose unit has so many milliseconds. */
export function dateReader({ array }: Numeric, unit: number): ValueReader {
  return ({ values: bytes }) => {
    const values = viewAs(bytes, array);
    return (index) => new Date(Number(values[index]) * unit);
  };
}

/** Reads the parts of intervals. */
export function intervalReader({ unit }: Interval): ValueReader {
  if (unit === IntervalUnit.YEAR_MONTH) {
    return ({ values }) =>
      (index) =>
        values[index];
  }
  if (unit === IntervalUnit.DAY_TIME) {
    return ({ values }) =>
      (index) => ({ days: values[2 * index], milliseconds: values[2 * index + 1] });
  }
  return ({ values }) => {
    const nanoseconds = viewAs(values, BigInt64Array);
    return (index) => ({
      months: values[4 * index],
      days: values[4 * index + 1],
      nanoseconds: nanoseconds[2 * index + 1] as bigint,
    });
  };
}
