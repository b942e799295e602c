// Reads two epochs under a budget and reports the resident memory: at the start, with the addon loaded and used, and the peak since then.
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type Batch, StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";

const [table = "", options = "", what] = process.argv.slice(2);
const kept: Batch[] = [];

await read({ fetch: "take", memoryBudget: 2 ** 20 }, 4);
writeFileSync("/proc/self/clear_refs", "5");
const start = memory("VmRSS");
const rows = await read(JSON.parse(options));
report({ start, peak: memory("VmHWM"), rows });

async function read(options: StreamingDatasetOptions, most = Number.POSITIVE_INFINITY): Promise<number> {
  await using dataset = await StreamingDataset.open(table, options);
  let batches = 0;
  for (let epoch = 0; epoch < 2; epoch++)
    for await (const batch of dataset.batches(64)) {
      if (what === "keep") kept.push(batch);
      if (what === "slow" && batches % 8 === 0) await setTimeout(2);
      if (++batches >= most) break;
    }
  return dataset.stats.consumedRows;
}

function memory(name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync("/proc/self/status", "utf8"));
  return Number(line?.[1]) * 1024;
}
