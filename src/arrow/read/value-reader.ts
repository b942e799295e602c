import { type Data, DataType } from "apache-arrow";
import { bitAt, nullCountOf } from "../nulls.ts";
import { numericOf } from "../numeric.ts";
import { childFields } from "../storage.ts";
import { binaryReader, stringReader } from "./bytes.ts";
import { decimalReader } from "./decimal.ts";
import { dictionaryReader } from "./dictionary.ts";
import { fixedListReader, listReader } from "./list.ts";
import { mapReader } from "./map.ts";
import type { ReadValue, ValueReader } from "./reader.ts";
import { boolReader, fixedBinaryReader, halfReader, numberReader } from "./scalars.ts";
import { structReader } from "./struct.ts";
import { dateReader, dateUnit, intervalReader } from "./temporal.ts";

const readers = new WeakMap<DataType, ValueReader>();

/** The reader of the values of a type that batches hold, as `RowValue` lists them. Compiled once for each type object. */
export function valueReader(type: DataType): ValueReader {
  let reader = readers.get(type);
  if (reader === undefined) {
    reader = nullable(compile(type));
    readers.set(type, reader);
  }
  return reader;
}

function nullable(reader: ValueReader): ValueReader {
  return (data: Data): ReadValue => {
    const nulls = nullCountOf(data);
    if (nulls === data.length) return () => null;
    const read = reader(data);
    if (nulls === 0) return read;
    const { nullBitmap, offset } = data;
    return (index) => (bitAt(nullBitmap, offset + index) ? read(index) : null);
  };
}

function compile(type: DataType): ValueReader {
  if (DataType.isBool(type)) return boolReader;
  if (DataType.isUtf8(type)) return stringReader;
  if (DataType.isBinary(type)) return binaryReader;
  if (DataType.isFixedSizeBinary(type)) return fixedBinaryReader(type.byteWidth);
  if (DataType.isDecimal(type)) return decimalReader(type);
  if (DataType.isInterval(type)) return intervalReader(type);
  return compileNumeric(type) ?? compileNested(type);
}

function compileNumeric(type: DataType): ValueReader | undefined {
  const numeric = numericOf(type);
  if (numeric === undefined) return undefined;
  if (numeric.dtype === "float16") return halfReader;
  const unit = dateUnit(type);
  return unit === undefined ? numberReader(numeric) : dateReader(numeric, unit);
}

function compileNested(type: DataType): ValueReader {
  if (DataType.isDictionary(type)) return dictionaryReader(valueReader(type.dictionary));
  if (DataType.isList(type)) return listReader(type.valueType, valueReader(type.valueType));
  if (DataType.isFixedSizeList(type)) {
    return fixedListReader(type.listSize, type.valueType, valueReader(type.valueType));
  }
  if (DataType.isMap(type)) return mapReader(valueReader(type.keyType), valueReader(type.valueType));
  if (DataType.isNull(type)) return () => () => null;
  return structReader(
    childFields(type).map((field) => ({ name: field.name, reader: valueReader(field.type) })),
  );
}
