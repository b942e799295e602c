import {
  type DataType,
  Field,
  FixedSizeList,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  Table,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  vectorFromArray,
} from "apache-arrow";
import { tablePath, writeTable } from "../../support/tables.ts";

/** A list of token ids; `null` where the row has no list. */
export type TokenList = readonly (number | bigint | null)[] | null;

/** Writes a table whose one column `tokens` holds lists, and gives its path. */
export async function writeDocuments(
  folder: string,
  name: string,
  documents: readonly TokenList[],
  item: DataType = new Int32(),
): Promise<string> {
  const list = new List(new Field("item", item, true));
  await writeTable(folder, name, [new Table({ tokens: vectorFromArray(documents, list) })]);
  return tablePath(folder, name);
}

/** Writes lists of one length as a fixed-size list. */
export async function writeFixed(
  folder: string,
  name: string,
  documents: readonly (readonly number[])[],
): Promise<string> {
  const size = documents[0]?.length ?? 0;
  const list = new FixedSizeList(size, new Field("item", new Uint32(), true));
  await writeTable(folder, name, [new Table({ tokens: vectorFromArray(documents, list) })]);
  return tablePath(folder, name);
}

/** The integer types that lists are tested with. */
export const tokenTypes: readonly (readonly [string, DataType])[] = [
  ["int8", new Int8()],
  ["int16", new Int16()],
  ["int32", new Int32()],
  ["int64", new Int64()],
  ["uint8", new Uint8()],
  ["uint16", new Uint16()],
  ["uint32", new Uint32()],
  ["uint64", new Uint64()],
];

/** Documents of changing lengths whose tokens tell where they are from: 1000 times the document's number, plus their place. */
export function numberedDocuments(lengths: readonly number[]): number[][] {
  return lengths.map((length, document) =>
    Array.from({ length }, (_, place) => 1000 * (document + 1) + place),
  );
}
