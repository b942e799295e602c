import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";
import { planned, splitsOf } from "../../support/plan-model.ts";
import { epochIds, readBatches, sorted } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const numSplits = 24;
const topologies = [
  [1, 1],
  [1, 2],
  [2, 1],
  [2, 2],
  [3, 1],
  [3, 2],
  [4, 1],
  [4, 2],
  [6, 1],
  [6, 2],
  [8, 1],
  [8, 3],
] as const;
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 24 * 11 + 5, { fragments: 2, deleted: "id = 17" });
});

/** What each worker of each rank reads, by batch. */
async function consumers(
  worldSize: number,
  numWorkers: number,
  globalBatch: number,
  options: StreamingDatasetOptions,
): Promise<number[][][]> {
  const parts: number[][][] = [];
  for (const rank of range(0, worldSize)) {
    for (const id of range(0, numWorkers)) {
      const topology = { worldSize, rank, worker: { id, numWorkers } };
      await using dataset = await StreamingDataset.open(path, { numSplits, ...options, ...topology });
      parts.push(await readBatches(dataset, globalBatch / (worldSize * numWorkers)));
    }
  }
  return parts;
}

/** The samples of every global step, over all ranks and workers. */
async function steps(
  worldSize: number,
  numWorkers: number,
  globalBatch: number,
  options: StreamingDatasetOptions = {},
): Promise<number[][]> {
  const parts = await consumers(worldSize, numWorkers, globalBatch, options);
  const longest = Math.max(...parts.map((part) => part.length));
  return range(0, longest).map((step) => sorted(parts.flatMap((part) => part[step] ?? [])));
}

describe("the samples of a global step are the same on", () => {
  test.each(topologies.slice(1))("%i ranks with %i workers", async (worldSize, numWorkers) => {
    expect(await steps(worldSize, numWorkers, 48)).toEqual(await steps(1, 1, 48));
  });
});

test("each worker of each rank reads its splits of the one order, in turns", async () => {
  const splits = splitsOf(await epochIds(path, { numSplits }), numSplits);
  for (const [worldSize, numWorkers] of topologies) {
    const parts = await consumers(worldSize, numWorkers, 48, {});
    const block = numSplits / parts.length;
    for (const [at, batches] of parts.entries())
      expect(batches.flat()).toEqual(planned(splits, [], [at * block, (at + 1) * block]));
  }
});

test("a surplus that is kept comes in the same steps, too", async () => {
  const options = { remainder: "keep", shuffleSeed: 8 } as const;
  const alone = await steps(1, 1, 24, options);
  expect(sorted(alone.flat())).toEqual(range(0, 24 * 11 + 5).filter((id) => id !== 17));
  for (const worldSize of [2, 4, 8]) expect(await steps(worldSize, 1, 24, options)).toEqual(alone);
});

test("every row that is not left over comes on one rank only", async () => {
  const ids = (await steps(8, 3, 48)).flat();
  expect(new Set(ids).size).toBe(24 * 11);
  expect(ids).toHaveLength(24 * 11);
});

test("a global batch that is no multiple of the splits has other samples on other ranks", async () => {
  expect(await steps(2, 1, 36)).not.toEqual(await steps(1, 1, 36));
});
