// Opens a dataset, leaves its loop early and closes it, time and again; reports what is left of the memory.
import { setTimeout } from "node:timers/promises";
import { type Batch, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";
import { collectGarbage } from "../support/garbage.ts";

const [table = "", rounds, how] = process.argv.slice(2);
/** Many small reads, some of which are always under way. */
const options = { fetch: "take", memoryBudget: 2 ** 26, readBatchSize: 64, ioQueueDepth: 8 } as const;
/** Some calls are under way when the loop is left, and some outputs wait. */
const transform = async (batch: Batch) => {
  await setTimeout(1);
  return batch;
};
const used: number[] = [];
const left: number[] = [];
const rss: number[] = [];

for (let round = 0; round < Number(rounds); round++) {
  await using dataset = await StreamingDataset.open(table, {
    ...options,
    ...(how === "transformed" && { transform }),
  });
  let read = 0;
  for await (const _ of dataset.batches(64)) {
    if (++read < 10) continue;
    used.push(dataset.stats.budgetUsed);
    break;
  }
  left.push(await settled(dataset));
  await collectGarbage();
  rss.push(process.memoryUsage.rss());
}
report({ used, left, rss });

/** The bytes of the budget that stay in use: reads that were cancelled need a moment to end. */
async function settled(dataset: StreamingDataset): Promise<number> {
  for (let wait = 0; wait < 100 && dataset.stats.budgetUsed > 0; wait++) await setTimeout(10);
  return dataset.stats.budgetUsed;
}
