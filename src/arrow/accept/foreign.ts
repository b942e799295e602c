/** What the data of all copies and versions of apache-arrow from 15 on have in common. */
export interface ForeignData {
  readonly type: ForeignType;
  readonly length: number;
  readonly offset: number;
  readonly values?: ArrayBufferView;
  readonly valueOffsets?: Int32Array | BigInt64Array;
  readonly nullBitmap?: Uint8Array | null;
  readonly children: readonly ForeignData[];
  readonly dictionary?: ForeignVector;
  /** The buffers that the values of a view type point into. */
  readonly variadicBuffers?: readonly Uint8Array[];
}

/** A vector of any copy: its values in one or several pieces. */
export interface ForeignVector {
  readonly type: ForeignType;
  readonly length: number;
  readonly data: readonly ForeignData[];
}

/** A type of any copy; which of the properties there are depends on `typeId`. */
export interface ForeignType {
  readonly typeId: number;
  readonly children?: readonly ForeignField[] | null;
  readonly isSigned?: boolean;
  readonly bitWidth?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly unit?: number;
  readonly timezone?: string | null;
  readonly byteWidth?: number;
  readonly listSize?: number;
  readonly keysSorted?: boolean;
  readonly dictionary?: ForeignType;
  readonly indices?: ForeignType;
  readonly id?: number;
  readonly isOrdered?: boolean;
}

/** A field of any copy. */
export interface ForeignField {
  readonly name: string;
  readonly type: ForeignType;
  readonly nullable: boolean;
  readonly metadata?: ReadonlyMap<string, string>;
}

/** A schema of any copy. */
export interface ForeignSchema {
  readonly fields: readonly ForeignField[];
  readonly metadata?: ReadonlyMap<string, string>;
}

/** A record batch of any copy. */
export interface ForeignRecordBatch {
  readonly schema: ForeignSchema;
  readonly numRows: number;
  readonly data: ForeignData;
}

/** A table of any copy. */
export interface ForeignTable {
  readonly schema: ForeignSchema;
  readonly numRows: number;
  readonly batches: readonly ForeignRecordBatch[];
}

/** Whether `value` is a table, of whatever copy: told by structure, since `instanceof` knows the classes of one copy only. */
export function isForeignTable(value: unknown): value is ForeignTable {
  return (
    hasSchema(value) &&
    "batches" in value &&
    Array.isArray(value.batches) &&
    value.batches.every(isForeignRecordBatch)
  );
}

/** Whether `value` is a record batch, of whatever copy. */
export function isForeignRecordBatch(value: unknown): value is ForeignRecordBatch {
  return hasSchema(value) && "data" in value && isForeignData(value.data);
}

/** Whether `value` is a vector, of whatever copy. */
export function isForeignVector(value: unknown): value is ForeignVector {
  if (!isObject(value) || !("type" in value) || !("length" in value) || !("data" in value)) return false;
  return isForeignType(value.type) && Array.isArray(value.data) && value.data.every(isForeignData);
}

function hasSchema(value: unknown): value is object {
  if (!isObject(value) || !("schema" in value) || !("numRows" in value)) return false;
  const { schema } = value;
  return (
    typeof value.numRows === "number" &&
    isObject(schema) &&
    "fields" in schema &&
    Array.isArray(schema.fields)
  );
}

function isForeignData(value: unknown): value is ForeignData {
  if (!isObject(value) || !("type" in value) || !("length" in value) || !("children" in value)) return false;
  return isForeignType(value.type) && typeof value.length === "number" && Array.isArray(value.children);
}

function isForeignType(value: unknown): value is ForeignType {
  return isObject(value) && "typeId" in value && typeof value.typeId === "number";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
