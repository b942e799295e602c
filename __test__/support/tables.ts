import { join } from "node:path";
import { connect, type Table as LanceTable } from "@lancedb/lancedb";
import { Int32, Table, Utf8, vectorFromArray } from "apache-arrow";
import { known } from "./known.ts";

/** How a table is written. */
export interface WriteOptions {
  /** Whether rows keep their ids when they are moved. */
  readonly stableRowIds?: boolean;
  /** Options of the object store in which the database lies. */
  readonly storageOptions?: Record<string, string>;
}

/** Writes a table of LanceDB with one fragment for each of `parts`. */
export async function writeTable(
  folder: string,
  name: string,
  parts: readonly Table[],
  { stableRowIds = false, storageOptions = {} }: WriteOptions = {},
): Promise<LanceTable> {
  const database = await connect(folder, { storageOptions });
  const [first, ...others] = parts;
  const tableOptions = { new_table_enable_stable_row_ids: String(stableRowIds) };
  const table = await database.createTable(name, known(first), { storageOptions: tableOptions });
  for (const part of others) await table.add(part);
  return table;
}

/** Where LanceDB keeps a table. */
export function tablePath(folder: string, name: string): string {
  return folder.includes("://") ? `${folder}/${name}.lance` : join(folder, `${name}.lance`);
}

/** How a table of ids is written. */
export interface IdsOptions extends WriteOptions {
  /** Fragments of about the same number of rows. @default 1 */
  readonly fragments?: number;
  /** An SQL expression: the rows to delete afterwards. */
  readonly deleted?: string;
}

/**
 * Writes a table whose row number i has the `id` i and the `name` `row i`, so that mixed-up columns show.
 *
 * @returns its path.
 */
export async function writeIds(
  folder: string,
  name: string,
  rows: number,
  options: IdsOptions = {},
): Promise<string> {
  const { fragments = 1, deleted, ...written } = options;
  const cuts = Array.from({ length: fragments + 1 }, (_, cut) => Math.round((rows * cut) / fragments));
  const parts = cuts.slice(1).map((end, part) => idRows(cuts[part] ?? 0, end));
  const table = await writeTable(folder, name, parts, written);
  if (deleted !== undefined) await table.delete(deleted);
  return tablePath(folder, name);
}

/** The rows from `start` to before `end` of a table of ids. */
export function idRows(start: number, end: number): Table {
  const ids = range(start, end);
  const names = ids.map((id) => `row ${id}`);
  return new Table({ id: vectorFromArray(ids, new Int32()), name: vectorFromArray(names, new Utf8()) });
}

/** The whole numbers from `start` to before `end`. */
export function range(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}
