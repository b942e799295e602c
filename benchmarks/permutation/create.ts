import { existsSync } from "node:fs";
import { join } from "node:path";
import { connect, type Table as LanceTable } from "@lancedb/lancedb";
import { Int64, makeData, Table, Vector } from "apache-arrow";

const rowsOfPart = 1_000_000;

/** A database with the table `keys` of `rows` distinct keys, made once. */
export async function createKeys(folder: string, rows: number): Promise<string> {
  const database = join(folder, `keys-${rows}`);
  const connection = await connect(database);
  if (existsSync(join(database, "keys.lance"))) {
    const found = await connection.openTable("keys");
    if ((await found.countRows()) === rows) return database;
    await connection.dropTable("keys");
  }
  let table: LanceTable | undefined;
  for (let start = 0; start < rows; start += rowsOfPart) {
    const part = keys(start, Math.min(rows, start + rowsOfPart));
    if (table === undefined) table = await connection.createTable("keys", part);
    else await table.add(part);
  }
  return database;
}

function keys(start: number, end: number): Table {
  const data = BigInt64Array.from({ length: end - start }, (_, index) => BigInt(start + index));
  return new Table({ key: new Vector([makeData({ type: new Int64(), data })]) });
}
