import { describe, expect, test } from "vitest";
import {
  Permutation,
  type PermutationBuilder,
  Permutations,
  permutationBuilder,
  StreamingDataset,
  type StreamingDatasetOptions,
  type TableSource,
} from "../../src/index.ts";
import { collect, idOf, idsOf, readBatches, readIds, sorted } from "../support/reading.ts";
import { range, tablePath, writeIds } from "../support/tables.ts";
import { failing } from "../workers/support.ts";
import { both } from "./support/both.ts";

const table = both("ids", (folder) => writeIds(folder, "ids", 240, { fragments: 3, deleted: "id % 11 = 5" }));
const live = range(0, 240).filter((id) => id % 11 !== 5);

/** The ids of two epochs. */
async function epochs(source: TableSource, options: StreamingDatasetOptions): Promise<number[][]> {
  await using dataset = await StreamingDataset.open(source, options);
  return [await readIds(dataset), await readIds(dataset)];
}

/** The row ids and the ids of each split. */
async function splits(source: TableSource, build: (builder: PermutationBuilder) => PermutationBuilder) {
  const built = await build(permutationBuilder(source)).execute();
  const permutations = await Permutations.open(source, built);
  const rows = built.splitLengths.map((_, split) =>
    collect(permutations.get(split).selectColumns(["_rowid", "id"])),
  );
  return { names: built.splitNames, version: built.baseVersion, splits: await Promise.all(rows) };
}

describe("a remote table gives what the same table on disk gives", () => {
  const ways: readonly (readonly [string, StreamingDatasetOptions])[] = [
    ["shuffled", { shuffleSeed: 3, numSplits: 4 }],
    ["in storage order", { shuffle: false }],
    ["in clumps", { shuffleClumpSize: 8, shuffleSeed: 9 }],
    ["filtered", { filter: "id % 3 = 0 OR name = 'row 7'", shuffleSeed: 1 }],
    ["with some columns and the row id", { columns: ["_rowid", "id"], shuffleSeed: 2 }],
    ["with the remainder", { remainder: "keep", numSplits: 7 }],
    ["of a rank", { numSplits: 4, worldSize: 2, rank: 1 }],
    ["from memory", { fetch: "memory" }],
    ["from scratch", { fetch: "scratch" }],
    ["by takes", { fetch: "take", readBatchSize: 3 }],
    ["without some steps", { skipSteps: { batchSize: 8, steps: [2, 4] }, numSplits: 4 }],
    [
      "by a strategy",
      { splitStrategy: (builder) => builder.splitHash({ columns: ["name"], splitWeights: [1, 1] }) },
    ],
    [
      "by a strategy with a filter",
      { splitStrategy: (builder) => builder.splitRandom({ fixed: 3 }), filter: "id > 40" },
    ],
  ];
  test.each(ways)("streamed %s", async (_, options) => {
    const [first, second] = await table.same((source) => epochs(source, options));
    expect(first?.length).toBeGreaterThan(20);
    if (options.shuffle !== false) expect(second).not.toEqual(first);
  });

  test("row ids, seeds and values of each sample", async () => {
    await table.same(async (source) => {
      await using dataset = await StreamingDataset.open(source, {
        columns: ["name", "_rowid"],
        transform: (batch, { seeds, rowIds }) =>
          batch.rows().map((row, at) => [row["name"], row["_rowid"], seeds[at], rowIds[at]]),
      });
      return await collect(dataset);
    });
  });

  const strategies: readonly (readonly [string, (builder: PermutationBuilder) => PermutationBuilder])[] = [
    ["all rows", (builder) => builder],
    [
      "at random",
      (builder) => builder.splitRandom({ ratios: [0.8, 0.2], seed: 7, splitNames: ["train", "val"] }),
    ],
    ["in sequence", (builder) => builder.splitSequential({ counts: [10, 30] }).shuffle({ seed: 2 })],
    [
      "by a hash",
      (builder) => builder.splitHash({ columns: ["name"], splitWeights: [2, 1], discardWeight: 1 }),
    ],
    ["by an expression", (builder) => builder.splitCalculated({ calculation: "id % 3" }).filter("id < 90")],
    ["with replacement", (builder) => builder.bootstrapSample({ numSamples: 300, fixed: 2, seed: 4 })],
  ];
  test.each(strategies)("a permutation split %s", async (_, build) => {
    const { splits: rows } = await table.same((source) => splits(source, build));
    expect(rows.flat().length).toBeGreaterThan(20);
  });

  test("rows at offsets, in the order asked for, duplicates included", async () => {
    const offsets = [200, 0, 0, 17, 200, 3];
    const rows = await table.same(async (source) =>
      (await Permutation.identity(source)).takeOffsets(offsets),
    );
    expect((rows as { id: number }[]).map(({ id }) => id)).toEqual(offsets.map((offset) => live[offset]));
  });

  test("a transform in worker threads", async () => {
    await table.same(async (source) => {
      await using dataset = await StreamingDataset.open(source, {
        transform: failing("rejects", -1),
        transformParallelism: 2,
      });
      return await collect(dataset);
    });
  });
});

describe("a stored permutation", () => {
  const build = (source: TableSource) =>
    permutationBuilder(source).splitRandom({ ratios: [0.7, 0.3], seed: 5, splitNames: ["train", "val"] });

  test("of a remote table is that of the table on disk, and each reads the other's", async () => {
    await build(table.path()).persist(table.folder, "from_disk");
    const remote = await table.remote();
    const stored = await build(remote).persist(table.folder, "from_remote");
    expect(stored).toMatchObject({ baseUri: "db://shop/ids", baseVersion: 4 });
    const rows = async (source: TableSource, name: string) =>
      (await collect(await Permutation.fromTables(source, tablePath(table.folder, name), "train"))).map(idOf);
    const expected = await rows(table.path(), "from_disk");
    expect(expected.length).toBe(Math.round(live.length * 0.7));
    expect(await rows(remote, "from_disk")).toEqual(expected);
    expect(await rows(remote, "from_remote")).toEqual(expected);
    expect(await rows(table.path(), "from_remote")).toEqual(expected);
  });

  test("is streamed, resumed and transformed on a remote table", async () => {
    await build(table.path()).persist(table.folder, "streamed");
    const open = async (source: TableSource) =>
      await StreamingDataset.open(source, {
        permutation: await Permutation.fromTables(source, tablePath(table.folder, "streamed"), "val"),
        shuffleSeed: 8,
        transform: (batch) => idsOf(batch).map((id) => -id),
      });
    const ids = await table.same(async (source) => {
      await using first = await open(source);
      const begun: number[] = [];
      for await (const id of first) {
        begun.push(id);
        if (begun.length === 17) break;
      }
      await using second = await open(source);
      second.loadStateDict(JSON.parse(JSON.stringify(first.stateDict())));
      return [...begun, ...(await collect(second))];
    });
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(live.length - Math.round(live.length * 0.7));
  });
});

describe("a state", () => {
  test.each(range(1, 6))("saved after batch %i resumes on another topology", async (batches) => {
    const options = { numSplits: 4, shuffleSeed: 6, filter: "id > 20" };
    const source = await table.remote();
    await using whole = await StreamingDataset.open(source, options);
    const expected = await readBatches(whole, 8);
    await using first = await StreamingDataset.open(source, options);
    const begun: number[] = [];
    for await (const batch of first.batches(8)) {
      begun.push(...idsOf(batch));
      if (begun.length === 8 * batches) break;
    }
    const state = first.stateDict();
    expect(state).toMatchObject({ table_identity: "db://shop/ids", table_version: 4, table_branch: null });
    const ranks = range(0, 2).map(async (rank) => {
      await using dataset = await StreamingDataset.open(source, { ...options, state, worldSize: 2, rank });
      return await readIds(dataset);
    });
    const rest = (await Promise.all(ranks)).flat();
    expect(begun).toEqual(expected.flat().slice(0, begun.length));
    expect(sorted(rest)).toEqual(sorted(expected.flat().slice(begun.length)));
    expect(rest.length).toBeGreaterThan(0);
  });
});

describe("a table with stable row ids", () => {
  const stable = both("stable", (folder) =>
    writeIds(folder, "stable", 90, { fragments: 3, deleted: "id % 7 = 2", stableRowIds: true }),
  );
  test("is read in the order in which it is on disk", async () => {
    const [first] = await stable.same((source) =>
      epochs(source, { columns: ["id", "_rowid"], numSplits: 3 }),
    );
    expect(first?.length).toBe(75);
  });
});
