// This library, as `run.ts` runs it.
import { StreamingDataset } from "lance-loader";
import type { PackingJob } from "./run.ts";

const { table, length, blocks, mode } = JSON.parse(process.argv[2] ?? "") as PackingJob;
const start = performance.now();
await using dataset = await StreamingDataset.open(table, {
  packSequences: length,
  eosId: 50_256,
  padId: 50_256,
  blocksPerEpoch: blocks,
  numSplits: 4,
  shuffleSeed: 1,
  packing: mode,
  ...(mode === "bestFit" && { longDocuments: "split" as const }),
});
let tokens = 0;
for await (const batch of dataset.batches(16)) tokens += batch.tensor("inputIds").data.length;
const seconds = (performance.now() - start) / 1000;
const utilization = dataset.stats.packing?.utilization;
console.log(JSON.stringify({ tokens, seconds, utilization }));
