import { DataType, type Field, Type } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";

/** How the values of an Arrow type are stored, and so which buffers and children its data has. */
export type Storage = "null" | "bits" | "fixed" | "bytes" | "list" | "fixed-list" | "struct" | "dictionary";

const storages = new Map<Type, Storage>([
  [Type.Null, "null"],
  [Type.Bool, "bits"],
  [Type.Int, "fixed"],
  [Type.Float, "fixed"],
  [Type.Decimal, "fixed"],
  [Type.Date, "fixed"],
  [Type.Time, "fixed"],
  [Type.Timestamp, "fixed"],
  [Type.Duration, "fixed"],
  [Type.Interval, "fixed"],
  [Type.FixedSizeBinary, "fixed"],
  [Type.Utf8, "bytes"],
  [Type.Binary, "bytes"],
  [Type.List, "list"],
  [Type.Map, "list"],
  [Type.FixedSizeList, "fixed-list"],
  [Type.Struct, "struct"],
  [Type.Dictionary, "dictionary"],
]);

/**
 * How the values of `type` are stored in a batch.
 *
 * @param path - the column, for the message.
 * @throws {@link LanceLoaderError} `UNSUPPORTED_TYPE` for a type that no batch holds, such as a union.
 */
export function storageOf(type: DataType, path?: string): Storage {
  const storage = storages.get(type.typeId);
  if (storage !== undefined) return storage;
  const where = path === undefined ? "A column" : `The column ${JSON.stringify(path)}`;
  throw new LanceLoaderError(
    "UNSUPPORTED_TYPE",
    `${where} has the Arrow type ${type}, which a batch cannot hold: leave it out, or cast it to another type.`,
  );
}

/** The fields below `type`. (A dictionary type passes off its values' fields as its own; it has none here.) */
export function childFields(type: DataType): Field[] {
  return DataType.isDictionary(type) ? [] : (type.children ?? []);
}

/** The types that the data of `type` is made of: those of its fields, or that of a dictionary's values. */
export function childTypes(type: DataType): DataType[] {
  return DataType.isDictionary(type) ? [type.dictionary] : childFields(type).map((field) => field.type);
}

/** The type of the items of a list, a map or a fixed-size list, or of a dictionary's values. */
export function itemType(type: DataType): DataType {
  const [items] = childTypes(type);
  if (items === undefined) throw new LanceLoaderError("INTERNAL", `The Arrow type ${type} has no items.`);
  return items;
}
