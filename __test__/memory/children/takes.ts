// Takes 64 random rows at a time, by an epoch or by offsets of a permutation, and reports the resident memory after the first and after the
// second thousand takes.
import { Permutation, permutationBuilder, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";

const [table = "", way = ""] = process.argv.slice(2);
const rss: number[] = [];
let taken = 0;
let rows = 0;

function count(batchRows: number): void {
  rows += batchRows;
  if (++taken % 1000 === 0) rss.push(process.memoryUsage.rss());
}

async function takeEpochs(): Promise<void> {
  await using dataset = await StreamingDataset.open(table, {
    fetch: "take",
    readBatchSize: 64,
    columns: ["id"],
  });
  while (taken < 2000) for await (const batch of dataset.batches(64)) count(batch.numRows);
}

async function takeOffsets(): Promise<void> {
  const built = await permutationBuilder(table)
    .bootstrapSample({ numSamples: 2000 * 64, fixed: 1 })
    .execute();
  const draws = (await Permutation.fromTables(table, built)).selectColumns(["id"]);
  while (taken < 2000) {
    const offsets = Array.from({ length: 64 }, (_, at) => taken * 64 + at);
    count((await draws.takeOffsets(offsets)).length);
  }
}

await (way === "epoch" ? takeEpochs() : takeOffsets());
report({ rss, rows });
