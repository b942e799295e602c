// Opens a table and reads its first shuffled batch, or fills a bit for each of its rows; reports what memory that added.
import { readFileSync } from "node:fs";
import { StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";

const [table = "", what] = process.argv.slice(2);

// What runs for the first time has memory of its own.
await first(false);
const start = memory();
const batch = await first(true);
const bits = what === "bits" ? new Uint8Array(2 ** 30 / 8).fill(1) : new Uint8Array();
report({ added: memory() - start, ...batch, bits: bits.length });

async function first(shuffle: boolean): Promise<{ rowIds: string[]; flags: unknown[] }> {
  await using dataset = await StreamingDataset.open(table, { shuffle, columns: ["flag", "_rowid"] });
  for await (const batch of dataset.batches(256)) {
    const flags = batch.rows().map((row) => row["flag"]);
    return { rowIds: batch.rows().map((row) => String(row["_rowid"])), flags };
  }
  throw new Error("the table is empty");
}

function memory(): number {
  const line = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return Number(line?.[1]) * 1024;
}
