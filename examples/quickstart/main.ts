// Trains a small classifier on the MNIST digits, streamed from a LanceDB table in shuffled batches.
//
//   npm run quickstart                 trains from the start
//   npm run quickstart -- --resume     goes on where the last run was stopped
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Batch, StreamingDataLoader, StreamingDataset } from "lance-loader";
import { loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { Classifier } from "./classifier.ts";
import { openDigits } from "./digits.ts";
import { Progress } from "./progress.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: ".data/quickstart" },
    epochs: { type: "string", default: "4" },
    resume: { type: "boolean", default: false },
  },
});
const epochs = Number(values.epochs);
const checkpointFile = join(values.data, "checkpoint.json");

const { train, test } = await openDigits(values.data);
await using dataset = await StreamingDataset.open(train, { columns: ["image", "label"], shuffleSeed: 7 });
await using testDataset = await StreamingDataset.open(test, { shuffle: false });
const loader = new StreamingDataLoader(dataset, { batchSize: 64 });
const classifier = new Classifier();

const checkpoint = values.resume ? loadCheckpoint(checkpointFile) : undefined;
if (checkpoint) {
  dataset.loadStateDict(checkpoint.state);
  classifier.weights.set(checkpoint.weights);
  console.log(`resuming in epoch ${dataset.epoch + 1}, after ${rowsSeen().toLocaleString("en")} rows of it`);
}

if (dataset.epoch >= epochs) console.log(`all ${epochs} epochs are trained: --epochs trains more`);

// When a loop over the loader has run to its end, the dataset stands at the next epoch.
while (dataset.epoch < epochs) {
  const title = `epoch ${dataset.epoch + 1}`;
  const rate = 0.3 / (dataset.epoch + 1);
  const progress = new Progress(title, dataset.numSamples, rowsSeen());
  let steps = 0;
  for await (const batch of loader) {
    const { images, labels } = digitsOf(batch);
    progress.add(batch.numRows, classifier.train(images, labels, rate));
    if (++steps % 50 === 0) save();
  }
  save();
  const { loss, speed } = progress.end();
  console.log(`${title}  loss ${loss}  accuracy ${(await accuracy()).toFixed(4)}  ${speed}`);
}

/** The columns of a batch as typed arrays: views of its memory, no copies. */
function digitsOf(batch: Batch): { images: Uint8Array; labels: Int32Array } {
  return {
    images: batch.tensor("image").data as Uint8Array, // of the shape [rows, 784]
    labels: batch.column("label") as Int32Array,
  };
}

/** How many rows of this epoch were trained on. */
function rowsSeen(): number {
  return [dataset.stateDict().samples_consumed_per_split].flat().reduce((sum, rows) => sum + rows, 0);
}

/** Saves where the data stands and what was learned from it up to there. */
function save(): void {
  saveCheckpoint(checkpointFile, { state: dataset.stateDict(), weights: classifier.weights });
}

/** The part of the test digits that is recognised. */
async function accuracy(): Promise<number> {
  let correct = 0;
  for await (const batch of testDataset.batches(256)) {
    const { images, labels } = digitsOf(batch);
    correct += classifier.countCorrect(images, labels);
  }
  return correct / testDataset.numSamples;
}
