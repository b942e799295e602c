// Takes 64 random rows at a time and reports the resident memory after the first and after the second thousand takes.
import { StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";

const [table = ""] = process.argv.slice(2);
const rss: number[] = [];

await using dataset = await StreamingDataset.open(table, {
  fetch: "take",
  readBatchSize: 64,
  columns: ["id"],
});
for (let taken = 0; taken < 2000; )
  for await (const _ of dataset.batches(64)) if (++taken % 1000 === 0) rss.push(process.memoryUsage.rss());
report({ rss, rows: dataset.stats.consumedRows });
