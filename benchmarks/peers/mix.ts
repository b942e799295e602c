import type { EpochCount } from "../loaders/job.ts";
import { shuffle } from "../loaders/shuffle.ts";

/**
 * How well an order is shuffled: the mean standard deviation of the ids in a batch, over that of a full shuffle. 1 is a full shuffle;
 * 0 is storage order.
 */
export function mixOf({ spread, batches, rows }: EpochCount, batchSize: number): number {
  return spread / batches / fullShuffleSpread(rows, batchSize);
}

const known = new Map<string, number>();

/** The mean standard deviation of the ids in a batch of a full shuffle. */
function fullShuffleSpread(rows: number, batchSize: number): number {
  const key = `${rows}/${batchSize}`;
  const spread = known.get(key) ?? measureSpread(rows, batchSize);
  known.set(key, spread);
  return spread;
}

function measureSpread(rows: number, batchSize: number): number {
  const ids = shuffle(
    Float64Array.from({ length: rows }, (_, id) => id),
    7,
  );
  let sum = 0;
  for (let start = 0; start < rows; start += batchSize)
    sum += deviation(ids.subarray(start, start + batchSize));
  return sum / Math.ceil(rows / batchSize);
}

function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
