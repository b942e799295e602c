// Trains for four epochs and saves as it goes. The rows that it has trained on stand in the checkpoint, as weights would.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type StateDict, StreamingDataLoader, StreamingDataset } from "../../../src/index.ts";
import { print } from "../support/print.ts";

const [table = "", checkpoint = "", when] = process.argv.slice(2);
const saved: { state?: StateDict; trained: number[] } = existsSync(checkpoint)
  ? JSON.parse(readFileSync(checkpoint, "utf8"))
  : { trained: [] };
const { trained } = saved;
await using dataset = await StreamingDataset.open(table, {
  numSplits: 4,
  shuffleSeed: 7,
  ...(saved.state !== undefined && { state: saved.state }),
});
const loader = new StreamingDataLoader(dataset, { batchSize: 16 });

let step = 0;
while (dataset.epoch < 4) {
  for await (const batch of loader) {
    const saves = ++step % 3 === 0;
    if (saves && when === "before-training") save();
    trained.push(...(batch.column("id") as Int32Array));
    await setTimeout(2);
    if (saves && when === "after-training") save();
    print(`step ${step}`);
  }
}
save();

/** Saves at once: a kill in the middle leaves the checkpoint before it. */
function save(): void {
  writeFileSync(`${checkpoint}.next`, JSON.stringify({ state: dataset.stateDict(), trained }));
  renameSync(`${checkpoint}.next`, checkpoint);
}
