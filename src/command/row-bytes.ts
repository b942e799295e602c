import { StreamingDataset, type StreamingDatasetOptions, type TableLocation } from "../index.ts";

/** Bytes of a row in memory, column by column. */
export type RowBytes = ReadonlyMap<string, number>;

/**
 * Measures how large rows are in memory, on average of a random sample, which is read by takes. All zero where there are no rows.
 *
 * @param names - the columns.
 */
export async function measureRowBytes(
  location: TableLocation,
  options: StreamingDatasetOptions,
  names: readonly string[],
  sample: number,
): Promise<RowBytes> {
  const sizes = new Map(names.map((name) => [name, 0]));
  await using dataset = await StreamingDataset.open(location, { ...options, columns: names, fetch: "take" });
  for await (const batch of dataset.batches(Math.min(sample, dataset.numSamples))) {
    const arrow = batch.toArrow();
    for (const name of names) sizes.set(name, (arrow.getChild(name)?.byteLength ?? 0) / batch.numRows);
    break;
  }
  return sizes;
}

/** Bytes of all columns. */
export function sumOf(bytes: RowBytes): number {
  return [...bytes.values()].reduce((sum, one) => sum + one, 0);
}
