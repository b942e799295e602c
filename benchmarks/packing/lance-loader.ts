// This library, as `run.ts` runs it: two epochs, of which the second one, where documents are shuffled, finds them in memory.
import { StreamingDataset } from "lance-loader";
import type { PackingJob, PackingOutput } from "./run.ts";

const { table, length, blocks, mode, shuffle, memoryBudget } = JSON.parse(
  process.argv[2] ?? "",
) as PackingJob;
let [clock, cpu] = [performance.now(), process.cpuUsage()];
await using dataset = await StreamingDataset.open(table, {
  packSequences: length,
  eosId: 50_256,
  padId: 50_256,
  blocksPerEpoch: blocks,
  numSplits: 4,
  shuffle,
  shuffleSeed: 1,
  memoryBudget,
  packing: mode,
  ...(mode === "bestFit" && { longDocuments: "split" as const }),
});
const first = await epoch();
[clock, cpu] = [performance.now(), process.cpuUsage()];
console.log(JSON.stringify({ ...first, later: await epoch() } satisfies PackingOutput));

async function epoch(): Promise<PackingOutput> {
  let tokens = 0;
  for await (const batch of dataset.batches(64)) tokens += batch.tensor("inputIds").data.length;
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - clock) / 1000;
  const utilization = dataset.stats.packing?.utilization ?? Number.NaN;
  return { tokens, seconds, cpuSeconds: (user + system) / 1e6, utilization };
}
