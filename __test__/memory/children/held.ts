// Holds batches and, of other batches, arrays only, while their dataset is closed and collected; then reports whether they are intact.
import { type Batch, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";
import { collectGarbage } from "../support/garbage.ts";
import { idsOf, isIntact, valuesOf } from "../support/values.ts";

const [table = ""] = process.argv.slice(2);
const batches: Batch[] = [];
const arrays: { ids: Int32Array; values: Float32Array }[] = [];
const gone: WeakRef<object>[] = [];

await hold();
// Memory that was freed by mistake is written over.
for (let round = 0; round < 3; round++) {
  await collectGarbage();
  await readAll();
}
report({
  batches: batches.filter((batch) => isIntact(idsOf(batch), valuesOf(batch))).length,
  arrays: arrays.filter(({ ids, values }) => isIntact(ids, values)).length,
  collected: gone.filter((reference) => reference.deref() === undefined).length,
});

/** Half of the batches are held; of the others, arrays, and weakly the batch. The dataset is closed in the middle of its epoch. */
async function hold(): Promise<void> {
  const dataset = await StreamingDataset.open(table);
  gone.push(new WeakRef(dataset));
  const stream = dataset.batches(64);
  for (let read = 0; read < 16; read++) {
    const { value: batch } = await stream.next();
    if (batch === undefined) throw new Error("the epoch is too short");
    if (read % 2 === 0) {
      batches.push(batch);
    } else {
      arrays.push({ ids: idsOf(batch), values: valuesOf(batch) });
      gone.push(new WeakRef(batch));
    }
    await collectGarbage();
  }
  await dataset.close();
}

async function readAll(): Promise<void> {
  await using dataset = await StreamingDataset.open(table);
  for await (const _ of dataset.batches(64));
}
