import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { RecordBatchStreamWriter, type Table, type Vector } from "apache-arrow";
import { gather } from "../loaders/gather.ts";
import { touch } from "../loaders/tally.ts";
import type { StoredWorkload, Workload } from "./workload.ts";

/**
 * The files of a workload, made at the first call: a folder in `folder` with the Lance table, the same rows as an Arrow stream, and what
 * an epoch must come to.
 */
export async function createWorkload(folder: string, workload: Workload): Promise<StoredWorkload> {
  const home = join(folder, `${workload.name}-${workload.rows}`);
  const files = { table: join(home, `${workload.name}.lance`), arrow: join(home, `${workload.name}.arrow`) };
  const facts = join(home, "facts.json");
  try {
    return { ...JSON.parse(await readFile(facts, "utf8")), ...files };
  } catch {
    // It is not there, or was left half made.
  }
  const making = `${home}.making`;
  await rm(making, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
  await mkdir(making, { recursive: true });
  const { name, description, rows } = workload;
  const counted = await writeRows(making, workload);
  await writeFile(join(making, "facts.json"), JSON.stringify({ name, description, rows, ...counted }));
  await rename(making, home);
  return { name, description, rows, ...counted, ...files };
}

async function writeRows(
  folder: string,
  workload: Workload,
): Promise<Pick<StoredWorkload, "bytes" | "touched">> {
  const database = await connect(folder);
  const writer = new RecordBatchStreamWriter();
  const counted = { bytes: 0, touched: 0 };
  let table: Awaited<ReturnType<typeof database.createTable>> | undefined;
  for (let start = 0; start < workload.rows; start += workload.chunkRows) {
    const chunk = workload.chunk(start, Math.min(start + workload.chunkRows, workload.rows));
    for (const batch of chunk.batches) writer.write(batch);
    counted.bytes += bytesOf(chunk);
    counted.touched += touchedOf(chunk);
    if (table === undefined) table = await database.createTable(workload.name, chunk);
    else await table.add(chunk);
  }
  writer.finish();
  await writeFile(join(folder, `${workload.name}.arrow`), await writer.toUint8Array());
  await table?.optimize();
  // Once more, since the first call keeps the fragments that it has just joined.
  await table?.optimize({ cleanupOlderThan: new Date(), deleteUnverified: true });
  table?.close();
  return counted;
}

function bytesOf(chunk: Table): number {
  const vectors = chunk.schema.fields.map(({ name }) => chunk.getChild(name) as Vector);
  return vectors.reduce((sum, vector) => sum + vector.byteLength, 0);
}

function touchedOf(chunk: Table): number {
  const row = Int32Array.from({ length: chunk.numRows }, (_, index) => index);
  const places = { chunk: new Int32Array(chunk.numRows), row };
  return chunk.schema.fields
    .filter(({ name }) => name !== "id")
    .reduce((sum, { name }) => sum + touch(gather(chunk.getChild(name) as Vector, places, false)), 0);
}

const block = Buffer.allocUnsafe(2 ** 22);

/** Reads every file of a workload, so that a measurement that follows finds them in the page cache. */
export function warm({ table, arrow }: StoredWorkload): void {
  const inTable = readdirSync(table, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...inTable, arrow]) {
    const file = openSync(path, "r");
    while (readSync(file, block, 0, block.length, null) > 0);
    closeSync(file);
  }
}
