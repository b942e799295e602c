import type { Data } from "apache-arrow";
import { halfValues } from "../float16.ts";
import { bitAt } from "../nulls.ts";
import { type Numeric, viewAs } from "../numeric.ts";
import type { RowValue } from "../row-value.ts";
import type { ReadValue, ValueReader } from "./reader.ts";

/** Reads bits as booleans. */
export function boolReader({ values, offset }: Data): ReadValue {
  return (index) => bitAt(values, offset + index);
}

/** Reads numbers, or bigints where they have 64-bit integers. */
export function numberReader({ array }: Numeric): ValueReader {
  return ({ values: bytes }) => {
    const values = viewAs(bytes, array);
    return (index) => values[index] as RowValue;
  };
}

/** Reads the numbers that halves stand for. */
export function halfReader({ values }: Data): ReadValue {
  const numbers = halfValues();
  return (index) => numbers[values[index]] as RowValue;
}

/** Reads views of `byteWidth` bytes. */
export function fixedBinaryReader(byteWidth: number): ValueReader {
  return ({ values: { buffer, byteOffset } }) =>
    (index) =>
      new Uint8Array(buffer, byteOffset + index * byteWidth, byteWidth);
}
