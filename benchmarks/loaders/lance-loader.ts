// This library. The job's options are those of `StreamingDataset.open`.
import { type Batch, StreamingDataset } from "lance-loader";
import type { Job } from "./job.ts";
import { type CountedBatch, measure } from "./measure.ts";
import type { ColumnValues } from "./tally.ts";

let dataset: StreamingDataset | undefined;

await measure(epoch);
await dataset?.close();

async function* epoch({ table, batchSize, decoded, options }: Job): AsyncGenerator<CountedBatch> {
  dataset ??= await StreamingDataset.open(table, { shuffleSeed: 1, ...options });
  const others = dataset.columnNames.filter((name) => name !== "id");
  for await (const batch of dataset.batches(batchSize)) {
    const columns = others.map((name) => (decoded ? decode(batch, name) : columnOf(batch, name)));
    yield { ids: batch.column("id") as BigInt64Array, columns };
  }
}

function columnOf(batch: Batch, name: string): ColumnValues {
  if (name === "text" || name === "bytes") {
    const { valueOffsets, values } = batch.vector(name).data[0] as {
      valueOffsets: Int32Array;
      values: Uint8Array;
    };
    return { offsets: valueOffsets, bytes: values };
  }
  const { data, shape } = batch.tensor(name);
  return data instanceof Float32Array ? { numbers: data, width: shape[1] ?? 1 } : (data as Int32Array);
}

function decode(batch: Batch, name: string): ColumnValues {
  return batch.rows().map((row) => row[name] as string);
}
