import { type Data, Field, Schema } from "apache-arrow";
import { LanceLoaderError } from "../../errors.ts";
import { checkFields } from "../check-fields.ts";
import { concatData } from "../concat/concat-data.ts";
import { DataAcceptor } from "./data-acceptor.ts";
import {
  type ForeignData,
  type ForeignSchema,
  isForeignRecordBatch,
  isForeignTable,
  isForeignVector,
} from "./foreign.ts";
import { TypeAcceptor } from "./type-acceptor.ts";

/** A table or a record batch of any supported copy and version of apache-arrow; only its structure counts. */
export interface ArrowTable {
  /** The columns. */
  readonly schema: { readonly fields: readonly { readonly name: string }[] };
  /** The number of rows. */
  readonly numRows: number;
}

/** A vector of any supported copy and version of apache-arrow; only its structure counts. */
export interface ArrowVector {
  readonly type: { readonly typeId: number };
  readonly length: number;
  readonly data: readonly unknown[];
}

/** A table with the classes of our own copy, each column in one piece. */
export interface AcceptedTable {
  readonly schema: Schema;
  readonly numRows: number;
  readonly columns: readonly Data[];
}

/** Whether `value` is a table or a record batch of some apache-arrow. */
export function isArrowTable(value: unknown): value is ArrowTable {
  return isForeignTable(value) || isForeignRecordBatch(value);
}

/** Whether `value` is a vector of some apache-arrow. */
export function isArrowVector(value: unknown): value is ArrowVector {
  return isForeignVector(value);
}

/**
 * Makes a table or record batch of any supported apache-arrow one of our own copy's.
 *
 * Shares the memory of a single record batch, but for the offsets of large types and the values of view types; copies several
 * record batches into one. A column's type in `columns` goes before that in `schema`, where dictionaries had to be joined.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `UNSUPPORTED_TYPE` or `BATCH_TOO_LARGE`.
 */
export function acceptTable(table: ArrowTable): AcceptedTable {
  const { schema: theirs, numRows, pieces } = piecesOf(table);
  const types = new TypeAcceptor();
  const data = new DataAcceptor();
  const fields = theirs.fields.map((field) => types.field(field));
  const columns = fields.map(({ name, type }, place) => {
    const accepted = pieces.map((piece) => data.accept(columnOf(piece, place, name), type));
    return concatData(type, accepted);
  });
  return { schema: new Schema(fields, new Map(theirs.metadata)), numRows, columns };
}

/**
 * Makes a vector of any supported apache-arrow data of our own copy, in one piece: copies where the vector has several.
 *
 * @param name - what the vector is called, for messages.
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `UNSUPPORTED_TYPE` or `BATCH_TOO_LARGE`.
 */
export function acceptVector(vector: ArrowVector, name: string): Data {
  if (!isForeignVector(vector)) {
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `${name} is no Arrow vector: pass one that apache-arrow 15 to 21 made.`,
    );
  }
  const type = new TypeAcceptor().accept(vector.type, name);
  checkFields([new Field(name, type)]);
  const data = new DataAcceptor();
  return concatData(
    type,
    vector.data.map((piece) => data.accept(piece, type)),
  );
}

function piecesOf(table: unknown): { schema: ForeignSchema; numRows: number; pieces: ForeignData[] } {
  if (isForeignTable(table)) {
    const { schema, numRows, batches } = table;
    return { schema, numRows, pieces: batches.map(({ data }) => data) };
  }
  if (isForeignRecordBatch(table))
    return { schema: table.schema, numRows: table.numRows, pieces: [table.data] };
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `table is ${describe(table)}, and must be a table or record batch that apache-arrow 15 to 21 made.`,
  );
}

function columnOf({ children }: ForeignData, place: number, name: string): ForeignData {
  const column = children[place];
  if (column !== undefined) return column;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `The table has no data for the column ${JSON.stringify(name)} of its schema: make the two agree.`,
  );
}

function describe(value: unknown): string {
  return typeof value === "object" && value !== null
    ? `an object with the keys ${Object.keys(value).join(", ")}`
    : String(value);
}
