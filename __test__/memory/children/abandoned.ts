// Abandons iterations in their middle while the signal that could end them lives on; reports the bytes of the budget that they still use.
import { type Batch, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";
import { collectGarbage } from "../support/garbage.ts";

const [table = "", how] = process.argv.slice(2);
const transformed = { transform: async (batch: Batch) => batch, onTransformError: "skip" } as const;
const { signal } = new AbortController();
await using watcher = await StreamingDataset.open(table, { signal });

for (let round = 0; round < 4; round++) await abandon();
const held = watcher.stats.budgetUsed;
for (let wait = 0; wait < 100 && watcher.stats.budgetUsed > 0; wait++) await collectGarbage();
report({ held, left: watcher.stats.budgetUsed });

async function abandon(): Promise<void> {
  const dataset = await StreamingDataset.open(table, {
    fetch: "memory",
    signal,
    ...(how === "transformed" && transformed),
  });
  const batches = dataset.batches(64);
  for (let read = 0; read < 20; read++) await batches.next();
}
