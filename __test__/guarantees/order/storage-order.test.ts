import { beforeAll, describe, expect, test } from "vitest";
import type { StreamingDatasetOptions } from "../../../src/index.ts";
import { epochIds, readIds, sorted, withDataset } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 14, { fragments: 3 });
});

describe("without a shuffle the rows come in storage order", () => {
  test("one split is the table, in every epoch and under every seed", async () => {
    await withDataset(path, { shuffle: false, shuffleSeed: 9 }, async (dataset) => {
      expect(await readIds(dataset)).toEqual(range(0, 14));
      expect(await readIds(dataset)).toEqual(range(0, 14));
    });
  });

  test("several splits are ranges of it, of which each gives one row in turn", async () => {
    const ids = await epochIds(path, { shuffle: false, numSplits: 7 });
    expect(ids).toEqual([0, 2, 4, 6, 8, 10, 12, 1, 3, 5, 7, 9, 11, 13]);
  });

  test("a rank has a contiguous block of the splits", async () => {
    const ofRank = (rank: number) => epochIds(path, { shuffle: false, numSplits: 4, worldSize: 2, rank });
    expect(await ofRank(0)).toEqual([0, 3, 1, 4, 2, 5]);
    expect(await ofRank(1)).toEqual([6, 9, 7, 10, 8, 11]);
  });

  test("a worker has a contiguous block of its rank's", async () => {
    const ofWorker = (id: number) =>
      epochIds(path, { shuffle: false, numSplits: 4, worldSize: 2, rank: 1, worker: { id, numWorkers: 2 } });
    expect(await ofWorker(0)).toEqual([6, 7, 8]);
    expect(await ofWorker(1)).toEqual([9, 10, 11]);
  });
});

describe("rows that are left over from the cut into splits", () => {
  test("are dropped and counted", async () => {
    await withDataset(path, { shuffle: false, numSplits: 4 }, async (dataset) => {
      expect([dataset.numSamples, dataset.numDropped]).toEqual([12, 2]);
      expect(sorted(await readIds(dataset))).toEqual(range(0, 12));
    });
  });

  test("or are kept by the first splits", async () => {
    await withDataset(path, { shuffle: false, numSplits: 4, remainder: "keep" }, async (dataset) => {
      expect([dataset.numSamples, dataset.numDropped]).toEqual([14, 0]);
      expect(await readIds(dataset)).toEqual([0, 4, 8, 11, 1, 5, 9, 12, 2, 6, 10, 13, 3, 7]);
    });
  });

  test.each(["drop", "keep"] as const)(
    "with %s, every row that is left comes once, over all ranks",
    async (remainder) => {
      const ranks = range(0, 3).map((rank) =>
        epochIds(path, { numSplits: 3, worldSize: 3, rank, remainder }),
      );
      const ids = sorted((await Promise.all(ranks)).flat());
      expect(ids).toHaveLength(remainder === "keep" ? 14 : 12);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );
});

describe("a shuffle of clumps keeps runs of rows together", () => {
  /** The epoch's positions in order, put together from the splits. */
  async function positions(options: StreamingDatasetOptions): Promise<number[]> {
    const { numSplits = 1 } = options;
    const ids = await epochIds(path, options);
    return range(0, numSplits).flatMap((split) => ids.filter((_, place) => place % numSplits === split));
  }

  /** How many rows come right behind the row before them in the table. */
  function followers(ids: readonly number[]): number {
    return ids.filter((id, place) => place > 0 && id === (ids[place - 1] ?? 0) + 1).length;
  }

  test.each([2, 4, 5, 7])("of %i rows", async (shuffleClumpSize) => {
    const orders = await Promise.all(range(0, 6).map((epoch) => positions({ shuffleClumpSize, epoch })));
    for (const ids of orders) {
      expect(sorted(ids)).toEqual(range(0, 14));
      for (const [place, id] of ids.entries())
        if (id % shuffleClumpSize !== 0) expect(ids[place - 1]).toBe(id - 1);
    }
    expect(new Set(orders.map(String)).size).toBeGreaterThan(1);
  });

  test("also when they are cut into splits", async () => {
    const ids = await positions({ shuffleClumpSize: 4, numSplits: 2 });
    // The cut between the two splits may go through one clump.
    expect(followers(ids)).toBeGreaterThanOrEqual(9);
  });

  test("a clump as large as the table leaves it in order, and without clumps it is mixed", async () => {
    expect(await positions({ shuffleClumpSize: 2 ** 40 })).toEqual(range(0, 14));
    expect(followers(await positions({}))).toBeLessThan(9);
  });
});
