import { expect } from "vitest";
import {
  type Batch,
  type EpochStream,
  type Row,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "../../src/index.ts";
import { known } from "./known.ts";

/** The `id` of a sample. */
export function idOf(sample: Row): number {
  return Number(sample["id"]);
}

/** The ids of a batch, whose other columns must be those of the same rows. */
export function idsOf(batch: Batch): number[] {
  const ids = Array.from(batch.column("id"), Number);
  if (batch.columnNames.includes("name"))
    expect(batch.rows().map((row) => row["name"])).toEqual(ids.map((id) => `row ${id}`));
  return ids;
}

/** The ids of the next batch, which must be there. */
export async function nextIds(iterator: EpochStream<Batch>): Promise<number[]> {
  const { value } = await iterator.next();
  return idsOf(known(value));
}

/** All ids that are left of the epoch; the dataset then stands at the start of the next one. */
export async function readIds(dataset: StreamingDataset, batchSize = 16): Promise<number[]> {
  return (await readBatches(dataset, batchSize)).flat();
}

/** The ids that are left of the epoch, by batch. */
export async function readBatches(dataset: StreamingDataset, batchSize: number): Promise<number[][]> {
  const batches: number[][] = [];
  for await (const batch of dataset.batches(batchSize)) batches.push(idsOf(batch));
  return batches;
}

/** The ids of the next `count` samples of the epoch; the loop over them is left after the last one. */
export async function readSome(dataset: StreamingDataset, count: number): Promise<number[]> {
  const ids: number[] = [];
  if (count === 0) return ids;
  for await (const sample of dataset) {
    ids.push(idOf(sample));
    if (ids.length === count) break;
  }
  return ids;
}

/** Opens a dataset, gives it to `use`, and closes it. */
export async function withDataset<Result>(
  path: string,
  options: StreamingDatasetOptions,
  use: (dataset: StreamingDataset) => Promise<Result> | Result,
): Promise<Result> {
  await using dataset = await StreamingDataset.open(path, options);
  return await use(dataset);
}

/** The ids of the whole epoch. */
export function epochIds(path: string, options: StreamingDatasetOptions, batchSize = 16): Promise<number[]> {
  return withDataset(path, options, (dataset) => readIds(dataset, batchSize));
}

/** All that an iteration hands over. */
export async function collect<Output>(stream: AsyncIterable<Output>): Promise<Output[]> {
  const outputs: Output[] = [];
  for await (const output of stream) outputs.push(output);
  return outputs;
}

/** The numbers in ascending order. */
export function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((left, right) => left - right);
}
