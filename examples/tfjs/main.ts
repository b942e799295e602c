// Trains a TensorFlow.js model on digits, is stopped in the middle of an epoch, and goes on with another process's model and dataset.
//
//   node examples/tfjs/main.ts
import * as tf from "@tensorflow/tfjs";
import { type Batch, type StateDict, StreamingDataLoader, StreamingDataset } from "lance-loader";
import { toTensor, toTfDataset } from "lance-loader/tfjs";
import { openDigits } from "../quickstart/digits.ts";

const { train, test } = await openDigits(".data/quickstart");
const options = { columns: ["image", "label"], shuffleSeed: 7 };

/** Pixels from 0 to 1, and one output for each digit: tensors that are only made on the way are disposed. */
const digits = (batch: Batch) => ({
  xs: toTensor(batch.tensor("image")).div(255),
  ys: tf.oneHot(toTensor(batch.tensor("label")) as tf.Tensor1D, 10),
});

const stopped = await trainUntil(60);
console.log(
  `stopped in the middle of the epoch, with a state of ${JSON.stringify(stopped.state).length} bytes`,
);

await using dataset = await StreamingDataset.open(train, { ...options, state: stopped.state });
const model = makeModel();
model.setWeights(stopped.weights);
const rest = toTfDataset(new StreamingDataLoader(dataset, { batchSize: 64 }), digits).take(60);
await model.fitDataset(rest, { epochs: 1, verbose: 0 });
console.log(`resumed, and trained on ${dataset.stats.consumedRows} other rows of it`);

await using testDataset = await StreamingDataset.open(test, { ...options, shuffle: false });
const [, accuracy] = (await model.evaluateDataset(toTfDataset(testDataset.batches(256), digits).take(8), {
  batches: 8,
})) as tf.Scalar[];
console.log(`accuracy ${accuracy?.dataSync()[0]?.toFixed(4)} on digits that it has not seen`);

/** Trains on the first batches of the epoch, as a process would that is then stopped. */
async function trainUntil(batches: number): Promise<{ state: StateDict; weights: tf.Tensor[] }> {
  await using dataset = await StreamingDataset.open(train, options);
  const model = makeModel();
  const data = toTfDataset(new StreamingDataLoader(dataset, { batchSize: 64 }), digits);
  await model.fitDataset(data, {
    epochs: 1,
    verbose: 0,
    callbacks: {
      async onBatchEnd(batch) {
        if (batch + 1 === batches) model.stopTraining = true;
      },
    },
  });
  // The state counts the batches that the model was given, and no more.
  return { state: dataset.stateDict(), weights: model.getWeights() };
}

function makeModel(): tf.Sequential {
  const model = tf.sequential({
    layers: [
      tf.layers.dense({ inputShape: [784], units: 16, activation: "relu", kernelInitializer: init() }),
      tf.layers.dense({ units: 10, activation: "softmax", kernelInitializer: init() }),
    ],
  });
  model.compile({
    optimizer: tf.train.adam(0.005),
    loss: "categoricalCrossentropy",
    metrics: ["accuracy"],
  });
  return model;
}

/** The same weights in every run. */
function init() {
  return tf.initializers.glorotUniform({ seed: 7 });
}
