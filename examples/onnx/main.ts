// Streams digits into ONNX Runtime: a first epoch makes a model, a second table is classified by it.
//
//   node examples/onnx/main.ts
import { type Batch, StreamingDataset } from "lance-loader";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { openDigits } from "../quickstart/digits.ts";
import { nearestMeanModel } from "./nearest-mean.ts";

const pixels = 28 * 28;
const { train, test } = await openDigits(".data/quickstart");

const model = nearestMeanModel(await meanImages(), pixels);
console.log(`a model of ${model.length.toLocaleString("en")} bytes: the nearest of ten mean images`);
const session = await InferenceSession.create(model, { logSeverityLevel: 3 });

await using dataset = await StreamingDataset.open(test, { columns: ["image", "label"], shuffle: false });
let correct = 0;
for await (const batch of dataset.batches(500)) {
  const { images, labels } = digitsOf(batch);
  // The batch's own memory: ONNX Runtime reads it, nothing is copied in JavaScript.
  const { digit } = await session.run({ image: new Tensor("uint8", images, [batch.numRows, pixels]) });
  const told = digit?.data as BigInt64Array;
  correct += labels.filter((label, row) => BigInt(label) === told[row]).length;
}
await session.release();
console.log(`${correct} of ${dataset.numSamples} digits told`);

/** The mean of the images of each digit, row after row. */
async function meanImages(): Promise<Float32Array> {
  await using dataset = await StreamingDataset.open(train, { columns: ["image", "label"], shuffle: false });
  const sums = new Float64Array(10 * pixels);
  const counts = new Uint32Array(10);
  for await (const batch of dataset.batches(1000)) {
    const { images, labels } = digitsOf(batch);
    for (const [row, label] of labels.entries()) {
      counts[label] = (counts[label] ?? 0) + 1;
      for (let pixel = 0; pixel < pixels; pixel++) {
        const at = label * pixels + pixel;
        sums[at] = (sums[at] ?? 0) + (images[row * pixels + pixel] ?? 0);
      }
    }
  }
  return Float32Array.from(sums, (sum, at) => sum / (counts[Math.floor(at / pixels)] ?? 1));
}

function digitsOf(batch: Batch): { images: Uint8Array; labels: Int32Array } {
  return {
    images: batch.tensor("image").data as Uint8Array,
    labels: batch.column("label") as Int32Array,
  };
}
