import { Field, Schema } from "apache-arrow";
import { checkOptions, checkString, invalid } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";

/** A column of the table, and the name under which it is delivered. */
export interface DeliveredColumn {
  readonly column: string;
  readonly name: string;
}

/** The column of row ids, which can be selected like any other. */
const rowId = "_rowid";

/**
 * The columns `names`, in that order.
 *
 * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`, `INVALID_ARGUMENT`.
 */
export function select(columns: readonly DeliveredColumn[], names: unknown): DeliveredColumn[] {
  return checkNames(names).map((name) => {
    const found = columns.find((column) => column.name === name);
    return found ?? (name === rowId ? { column: rowId, name: rowId } : unknown(columns, name));
  });
}

/**
 * The columns without `names`.
 *
 * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`; `INVALID_ARGUMENT`, also where no column is left.
 */
export function remove(columns: readonly DeliveredColumn[], names: unknown): DeliveredColumn[] {
  const removed = checkNames(names);
  for (const name of removed) if (!columns.some((column) => column.name === name)) unknown(columns, name);
  const kept = columns.filter(({ name }) => !removed.includes(name));
  if (kept.length === 0) throw invalid("names", names, "such that a column is left");
  return kept;
}

/**
 * The columns under new names.
 *
 * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`; `INVALID_ARGUMENT`, also where two columns would have one name.
 */
export function rename(
  columns: readonly DeliveredColumn[],
  names: Readonly<Record<string, string>>,
): DeliveredColumn[] {
  const known = columns.map(({ name }) => name);
  if (typeof names !== "object" || names === null) checkOptions("names", names, known);
  for (const name of Object.keys(names)) if (!known.includes(name)) unknown(columns, name);
  const renamed = columns.map(({ column, name }) => {
    return { column, name: Object.hasOwn(names, name) ? checkString(`names.${name}`, names[name]) : name };
  });
  for (const [at, { name }] of renamed.entries()) {
    if (renamed.findIndex((other) => other.name === name) !== at)
      throw invalid("names", name, "a name that no other column has");
  }
  return renamed;
}

/** The schema of the delivered columns. */
export function renamedSchema(schema: Schema, columns: readonly DeliveredColumn[]): Schema {
  const fields = schema.fields.map((field, at) => {
    const name = columns[at]?.name ?? field.name;
    return name === field.name ? field : new Field(name, field.type, field.nullable, field.metadata);
  });
  return new Schema(fields, schema.metadata);
}

function checkNames(names: unknown): string[] {
  if (!Array.isArray(names) || names.length === 0 || names.some((name) => typeof name !== "string"))
    throw invalid("names", names, "a list of at least one column's name");
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined)
    throw invalid("names", names, `without repeats, and "${repeated}" is named twice`);
  return names;
}

function unknown(columns: readonly DeliveredColumn[], name: string): never {
  const known = columns.map((column) => column.name);
  throw new LanceLoaderError("UNKNOWN_COLUMN", `There is no column "${name}". ${didYouMean(name, known)}`);
}
