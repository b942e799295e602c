// Reads a few batches of 1 MiB, then sleeps in the middle of the epoch and reports the memory it sees meanwhile.
import { setTimeout } from "node:timers/promises";
import { type FetchMode, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";

const [table = "", fetch] = process.argv.slice(2);
const rss = process.memoryUsage.rss;

await using dataset = await StreamingDataset.open(table, {
  fetch: fetch as FetchMode,
  memoryBudget: 2 ** 28,
});
const batches = dataset.batches(256);
for (let read = 0; read < 16; read++) await batches.next();
// What may be read ahead is read by then.
await setTimeout(500);
const before = rss();
let most = 0;
for (let moment = 0; moment < 45; moment++) {
  await setTimeout(100);
  most = Math.max(most, rss());
}
report({ before, most });
