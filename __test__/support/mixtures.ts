import {
  type MixOptions,
  type Mixture,
  mix,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "../../src/index.ts";
import { readIds } from "./reading.ts";
import { idRows, tablePath, writeTable } from "./tables.ts";

/** Rows of the tables that are mixed: ids from 1000 times the table's number on. */
export const tableRows = [8, 23, 60];

/** Writes the tables and answers their paths. */
export async function writeTables(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const [at, rows] of tableRows.entries()) {
    const first = at * 1000;
    const middle = first + Math.floor(rows / 2);
    await writeTable(folder, `mixed-${at}`, [idRows(first, middle), idRows(middle, first + rows)]);
    paths.push(tablePath(folder, `mixed-${at}`));
  }
  return paths;
}

/** The number of the table that a row is of. */
export function tableOf(id: number): number {
  return Math.floor(id / 1000);
}

/** How the datasets of a mixture are opened and mixed. */
export interface Mixing extends MixOptions {
  readonly paths: readonly string[];
  readonly weights: readonly number[];
  /** Options of all datasets. */
  readonly datasets?: StreamingDatasetOptions;
}

/** Opens a mixture; its datasets are closed again at once. */
export async function openMixture({ paths, weights, datasets = {}, ...options }: Mixing): Promise<Mixture> {
  const opened = await Promise.all(
    paths.map((path, at) => StreamingDataset.open(path, { shuffleSeed: at, ...datasets })),
  );
  try {
    const parts = opened.map((dataset, at) => ({ dataset, weight: weights[at] ?? 0 }));
    return await mix(parts, { ...options });
  } finally {
    for (const dataset of opened) await dataset.close();
  }
}

/** The samples of each split of an epoch of a table. */
export async function splitsOfTable(
  path: string,
  options: StreamingDatasetOptions & { readonly numSplits: number },
): Promise<number[][]> {
  await using dataset = await StreamingDataset.open(path, options);
  const ids = await readIds(dataset);
  return Array.from({ length: options.numSplits }, (_, split) =>
    ids.filter((_, place) => place % options.numSplits === split),
  );
}
