// One rank of a run: reads some epochs, step by step, and meets the other ranks through its parent.
import { once } from "node:events";
import { StreamingDataset } from "../../../src/index.ts";
import { failingOn } from "../../support/transforms.ts";
import type { RanksOptions } from "../support/ranks.ts";

const options = JSON.parse(process.argv[2] ?? "") as RanksOptions & { readonly rank: number };
const { table, rank, worldSize, numSplits, batchSize, bad, sync } = options;

async function least(n: number): Promise<number> {
  process.send?.({ n });
  const [answer] = (await once(process, "message")) as [number];
  return answer;
}

await using dataset = await StreamingDataset.open(table, {
  rank,
  worldSize,
  numSplits,
  shuffle: false,
  transform: failingOn(bad),
  onTransformError: "skip",
  ...(sync && { syncEpochEnd: least }),
});
const epochs: number[][][] = [];
while (epochs.length < options.epochs) {
  const steps: number[][] = [];
  for await (const batch of dataset.batches(batchSize)) steps.push(batch);
  epochs.push(steps);
}
process.send?.({ report: { epochs, skipped: dataset.stats.rowsSkipped } }, () => process.disconnect());
