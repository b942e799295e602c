// Reads an epoch of a table with the options given as JSON, tells each batch, and at the end the ids.
import { StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";
import { print, report } from "../../process/support/print.ts";

const { uri, ...options } = JSON.parse(process.argv[2] ?? "") as StreamingDatasetOptions & {
  readonly uri: string;
};
await using dataset = await StreamingDataset.open(uri, options);
const ids: number[] = [];
for await (const batch of dataset.batches(64)) {
  ids.push(...Array.from(batch.column("id"), Number));
  print("batch");
}
report(ids);
