// Loops over a loader that no variable holds, under collections at every batch and while batches are waited for.
import { StreamingDataLoader, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";
import { collectGarbage } from "../support/garbage.ts";
import { idsOf } from "../support/values.ts";

const [table = ""] = process.argv.slice(2);
const ids: number[] = [];
const collections = setInterval(() => globalThis.gc?.(), 1);
for await (const batch of await openLoader()) {
  ids.push(...idsOf(batch));
  await collectGarbage();
}
for await (const collated of (await openLoader()).dataset.batches(64, {
  collate: async (batch) => [...idsOf(batch)],
})) {
  ids.push(...collated);
  await collectGarbage();
}
clearInterval(collections);
report(ids);

async function openLoader(): Promise<StreamingDataLoader> {
  const dataset = await StreamingDataset.open(table, {
    fetch: "take",
    readBatchSize: 64,
    filter: "id < 1024",
  });
  return new StreamingDataLoader(dataset, { batchSize: 64 });
}
