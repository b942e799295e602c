import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { Table as ArrowTable, Field, Int32, List, makeData, makeVector } from "apache-arrow";
import { randomWords } from "../workloads/random-words.ts";

/** A table of documents on disk. */
export interface Documents {
  /** Where Lance keeps the table. */
  readonly table: string;
  /** Documents. */
  readonly documents: number;
  /** Tokens of all of them, without eos. */
  readonly tokens: number;
}

const chunkRows = 20_000;
const median = 300;
const vocabulary = 50_256;

/**
 * A table with the one column `tokens`, lists of int32 whose lengths are log-normal with a median of 300 and a sigma of 1; made at the
 * first call.
 */
export async function createDocuments(folder: string, documents: number): Promise<Documents> {
  const home = join(folder, `documents-${documents}`);
  const table = join(home, "documents.lance");
  try {
    return { ...JSON.parse(await readFile(join(home, "facts.json"), "utf8")), table };
  } catch {
    // It is not there, or was left half made.
  }
  const making = `${home}.making`;
  for (const path of [making, home]) await rm(path, { recursive: true, force: true });
  await mkdir(making, { recursive: true });
  const facts = { documents, tokens: await write(making, documents) };
  await writeFile(join(making, "facts.json"), JSON.stringify(facts));
  await rename(making, home);
  return { ...facts, table };
}

async function write(folder: string, documents: number): Promise<number> {
  const database = await connect(folder);
  let table: Awaited<ReturnType<typeof database.createTable>> | undefined;
  let tokens = 0;
  for (let start = 0; start < documents; start += chunkRows) {
    const { chunk, count } = chunkOf(start, Math.min(chunkRows, documents - start));
    tokens += count;
    if (table === undefined) table = await database.createTable("documents", chunk);
    else await table.add(chunk);
  }
  table?.close();
  return tokens;
}

function chunkOf(start: number, rows: number): { chunk: ArrowTable; count: number } {
  const words = randomWords(new Uint32Array(2 * rows), start + 1);
  const valueOffsets = new Int32Array(rows + 1);
  for (let row = 0; row < rows; row++) {
    const length = lengthOf(words[2 * row] as number, words[2 * row + 1] as number);
    valueOffsets[row + 1] = (valueOffsets[row] as number) + length;
  }
  const count = valueOffsets[rows] as number;
  const values = randomWords(new Uint32Array(count), start + 2).map((word) => word % vocabulary);
  const child = makeData({ type: new Int32(), data: new Int32Array(values.buffer), length: count });
  const type = new List(new Field("item", new Int32(), false));
  const lists = makeData({ type, valueOffsets, child, length: rows, nullCount: 0 });
  return { chunk: new ArrowTable({ tokens: makeVector(lists) }), count };
}

/** A log-normal length from two random words, by the transform of Box and Muller (1958). */
function lengthOf(one: number, other: number): number {
  const radius = Math.sqrt(-2 * Math.log((one + 1) / 2 ** 32));
  const normal = radius * Math.cos((2 * Math.PI * other) / 2 ** 32);
  return Math.max(1, Math.round(median * Math.exp(normal)));
}
