import {
  type Data,
  DataType,
  type Dictionary,
  type Field,
  FixedSizeList,
  List,
  Map_,
  Struct,
  Vector,
} from "apache-arrow";
import type { NumericArray } from "../dtype.ts";
import { type DataParts, makeData, valuesArray } from "../make-data.ts";
import { nullCountOf } from "../nulls.ts";
import { checkOffset } from "../offsets.ts";
import { childFields, itemType, storageOf } from "../storage.ts";
import { joinArrays } from "./join-arrays.ts";
import { joinBits } from "./join-bits.ts";
import { joinDictionaries } from "./join-dictionaries.ts";

/**
 * Joins the pieces of a column by a copy; one piece is answered as it is, none gives a column without rows.
 *
 * Pieces with different dictionaries get a joined one, and with it a type of its own: read the type from the answer.
 *
 * @throws {@link LanceLoaderError} `BATCH_TOO_LARGE` where the column passes 2^31 - 1 bytes or items.
 */
export function concatData(type: DataType, pieces: readonly Data[]): Data {
  if (pieces.length === 1) return pieces[0] as Data;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const parts = { length, validity: joinValidity(pieces, length) };
  switch (storageOf(type)) {
    case "null":
      return makeData(type, { length, nullCount: length });
    case "bits":
      return makeData(type, { ...parts, values: joinBits(pieces, length, ({ values }) => values) });
    case "fixed":
      return makeData(type, { ...parts, values: joinFixed(type, pieces) });
    case "bytes":
      return makeData(type, { ...parts, offsets: joinOffsets(pieces, length), values: joinBytes(pieces) });
    case "list":
      return concatNested(type, pieces, { ...parts, offsets: joinOffsets(pieces, length) });
    case "dictionary":
      return concatKeys(type, pieces, parts);
    default:
      return concatNested(type, pieces, parts);
  }
}

function concatKeys(type: DataType, pieces: readonly Data[], parts: DataParts): Data {
  if (pieces.length === 0) {
    const dictionary = new Vector([concatData(itemType(type), [])]);
    return makeData(type, { ...parts, values: joinFixed(type, []), dictionary });
  }
  const joined = joinDictionaries(type as Dictionary, pieces);
  return makeData(joined.type, { ...parts, values: joined.keys, dictionary: new Vector(joined.chunks) });
}

function concatNested(type: DataType, pieces: readonly Data[], parts: DataParts): Data {
  const children = childFields(type).map((field, at) => {
    const items = pieces.map((piece) => {
      const [start, end] = itemRange(piece);
      return (piece.children[at] as Data).slice(start, end - start);
    });
    return concatData(field.type, items);
  });
  return makeData(withChildren(type, children), { ...parts, children });
}

function joinValidity(pieces: readonly Data[], length: number): Uint8Array | undefined {
  if (pieces.every((piece) => nullCountOf(piece) === 0)) return undefined;
  return joinBits(pieces, length, (piece) => (nullCountOf(piece) === 0 ? undefined : piece.nullBitmap));
}

function joinFixed(type: DataType, pieces: readonly Data[]): NumericArray {
  const values = pieces.map((piece) => piece.values.subarray(0, piece.length * piece.stride));
  return joinArrays(values, valuesArray(type));
}

function joinBytes(pieces: readonly Data[]): NumericArray {
  const bytes = pieces.map((piece) => piece.values.subarray(...itemRange(piece)));
  return joinArrays(bytes, Uint8Array);
}

function joinOffsets(pieces: readonly Data[], length: number): Int32Array {
  const offsets = new Int32Array(length + 1);
  let at = 0;
  let total = 0;
  for (const piece of pieces) {
    const [start, end] = itemRange(piece);
    checkOffset(total + end - start);
    for (let index = 1; index <= piece.length; index++)
      offsets[++at] = total + piece.valueOffsets[index] - start;
    total += end - start;
  }
  return offsets;
}

/** The bytes or items that the rows of a piece take. */
function itemRange({ type, length, valueOffsets }: Data): [start: number, end: number] {
  if (DataType.isFixedSizeList(type)) return [0, length * type.listSize];
  return valueOffsets === undefined ? [0, length] : [valueOffsets[0], valueOffsets[length]];
}

/** `type` with the types that its children have come to. */
function withChildren(type: DataType, children: readonly Data[]): DataType {
  const fields = childFields(type);
  if (fields.every((field, at) => field.type === children[at]?.type)) return type;
  const own = fields.map((field, at) => field.clone({ type: (children[at] as Data).type }));
  if (DataType.isStruct(type)) return new Struct(own);
  const [items] = own;
  if (items === undefined) return type;
  if (DataType.isFixedSizeList(type)) return new FixedSizeList(type.listSize, items);
  return DataType.isMap(type) ? new Map_(items as Field<Struct>, type.keysSorted) : new List(items);
}
