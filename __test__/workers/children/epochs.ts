// Reads epochs through a module transform and reports memory, worker threads and handles: before, and after the dataset is closed.
import { setTimeout } from "node:timers/promises";
import { type Batch, StreamingDataset } from "../../../src/index.ts";
import { isIntact } from "../../memory/support/values.ts";
import { report } from "../../process/support/print.ts";
import { moduleOf } from "../support.ts";
import { transformThreads } from "./threads.ts";

const [table = "", epochs, what] = process.argv.slice(2);
const kept: Batch[] = [];
const peaks = [0, 0];

await read(2, (batch) => batch);
const before = look();
const during = await read(Number(epochs), moduleOf("values.ts"), peaks);
// Ports of threads that have ended close in a later turn.
await setTimeout(10);
report({ before, during, after: look(), first: peaks[0], second: peaks[1] });

async function read(count: number, transform: URL | ((batch: Batch) => Batch), most?: number[]) {
  await using dataset = await StreamingDataset.open<never, Batch>(table, {
    transform: transform as URL,
    transformParallelism: 2,
    fetch: "take",
    memoryBudget: 2 ** 26,
  });
  for (let epoch = 0; epoch < count; epoch++) {
    for await (const batch of dataset.batches(64)) {
      if (!isIntact(batch.column("id") as Int32Array, batch.column("values") as Float32Array))
        throw new Error(`a batch of epoch ${epoch} is not what was written`);
      if (what === "keep") kept.push(batch);
    }
    const half = Math.floor((2 * epoch) / count);
    if (most !== undefined) most[half] = Math.max(most[half] ?? 0, process.memoryUsage.rss());
  }
  return look();
}

function look() {
  return {
    threads: transformThreads(),
    handles: process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap" && name !== "Timeout"),
  };
}
