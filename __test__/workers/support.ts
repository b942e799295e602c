import { StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";

/** The URL of a module of this folder. */
export function moduleOf(name: string): URL {
  return new URL(`./modules/${name}`, import.meta.url);
}

/** The module that fails in the way of `how` at the row with the id `at`, and otherwise gives batches as they are. */
export function failing(how: string, at: number): URL {
  return moduleOf(`failing.ts?how=${how}&at=${at}`);
}

/** Opens a table in storage order with two threads for the module of a transform. */
export function openWith(
  table: string,
  transform: URL | string,
  options: StreamingDatasetOptions = {},
): Promise<StreamingDataset> {
  return StreamingDataset.open(table, { shuffle: false, transformParallelism: 2, ...options, transform });
}
