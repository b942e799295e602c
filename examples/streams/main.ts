// Streams a table through Node streams into a compressed file of JSON lines, and through Web streams into a count.
//
//   node examples/streams/main.ts
import { createWriteStream, mkdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { connect } from "@lancedb/lancedb";
import { type Batch, StreamingDataLoader, StreamingDataset } from "lance-loader";
import { toReadable, toReadableStream } from "lance-loader/streams";

const folder = ".data/streams";
mkdirSync(folder, { recursive: true });
const rows = Array.from({ length: 5000 }, (_, id) => ({ id, text: `sentence number ${id}` }));
const table = await (await connect(folder)).createTable("sentences", rows, { mode: "overwrite" });
await using dataset = await StreamingDataset.open(table, { shuffleSeed: 7 });
const loader = new StreamingDataLoader(dataset, { batchSize: 256 });

// One epoch into a file. The reads wait for the disk: no more than a batch is under way.
const file = `${folder}/sentences.jsonl.gz`;
await pipeline(toReadable(loader), jsonLines, createGzip(), createWriteStream(file));
console.log(`${dataset.numSamples} rows in ${(await stat(file)).size} bytes of JSON lines, shuffled`);

// The next epoch through Web streams.
const lengths = new TransformStream<Batch, number>({
  transform(batch, controller) {
    for (const { text } of batch.rows()) controller.enqueue(String(text).length);
  },
});
let characters = 0;
for await (const length of toReadableStream(loader).pipeThrough(lengths)) characters += length;
console.log(`${characters} characters in the same rows, in another order`);

async function* jsonLines(batches: AsyncIterable<Batch>): AsyncGenerator<string> {
  for await (const batch of batches)
    yield batch
      .rows()
      .map((row) => `${JSON.stringify(row)}\n`)
      .join("");
}
