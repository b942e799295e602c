// Streams batches of 1 MiB, epoch after epoch, and reports the resident memory: at the start, and the peaks of both halves.
import { type Batch, type FetchMode, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";
import { valuesOf } from "../support/values.ts";

const [table = "", fetch, total, what] = process.argv.slice(2);
const batches = Number(total);
const rss = process.memoryUsage.rss;
const kept: Batch[] = [];

await using dataset = await StreamingDataset.open(table, {
  fetch: fetch as FetchMode,
  memoryBudget: 2 ** 28,
});
const start = rss();
const peaks = [0, 0];
for (let read = 0; read < batches; ) {
  for await (const batch of dataset.batches(256)) {
    if (valuesOf(batch).byteLength !== 2 ** 20) throw new Error(`a batch of ${batch.numRows} rows`);
    if (what === "keep") kept.push(batch);
    const half = Math.floor((2 * read) / batches);
    peaks[half] = Math.max(peaks[half] ?? 0, rss());
    if (++read === batches) break;
  }
}
report({ start, first: peaks[0], second: peaks[1], bytes: dataset.stats.consumedRows * 4096 });
