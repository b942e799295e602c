import type { Data, DataType } from "apache-arrow";
import { halfValues } from "../float16.ts";
import { countNulls, nullCountOf } from "../nulls.ts";
import { type Numeric, numericOf, viewAs } from "../numeric.ts";
import type { RowValue } from "../row-value.ts";
import type { ReadValue, ValueReader } from "./reader.ts";
import { dateUnit } from "./temporal.ts";

/** Reads the items from `start` to before `end` as one list. */
type ReadItems = (start: number, end: number) => RowValue;

/** Reads lists of any length, `reader` being that of their items. */
export function listReader(items: DataType, reader: ValueReader): ValueReader {
  const bind = itemsReader(items, reader);
  return ({ children, valueOffsets }) => {
    const readItems = bind(children[0] as Data);
    return (index) => readItems(valueOffsets[index], valueOffsets[index + 1]);
  };
}

/** Reads lists of `size` items each, `reader` being that of the items. */
export function fixedListReader(size: number, items: DataType, reader: ValueReader): ValueReader {
  const bind = itemsReader(items, reader);
  return ({ children }) => {
    const readItems = bind(children[0] as Data);
    return (index) => readItems(index * size, (index + 1) * size);
  };
}

function itemsReader(items: DataType, reader: ValueReader): (data: Data) => ReadItems {
  const numeric = numericOf(items);
  if (numeric === undefined || dateUnit(items) !== undefined) return (data) => readArray(reader(data));
  const readTyped = numeric.dtype === "float16" ? readHalves : (data: Data) => readView(data, numeric);
  return (data) => {
    const typed = readTyped(data);
    if (nullCountOf(data) === 0) return typed;
    // Decided list by list: what a row holds must not depend on the rows beside it.
    const plain = readArray(reader(data));
    return (start, end) => (countNulls(data, start, end - start) === 0 ? typed : plain)(start, end);
  };
}

function readArray(read: ReadValue): ReadItems {
  return (start, end) => {
    const items: RowValue[] = [];
    for (let index = start; index < end; index++) items.push(read(index));
    return items;
  };
}

function readView(data: Data, { array }: Numeric): ReadItems {
  const { buffer, byteOffset } = viewAs(data.values, array);
  const width = array.BYTES_PER_ELEMENT;
  return (start, end) => new array(buffer, byteOffset + start * width, end - start);
}

function readHalves({ values }: Data): ReadItems {
  const numbers = halfValues();
  return (start, end) =>
    Float32Array.from(values.subarray(start, end), (bits: number) => numbers[bits] as number);
}
