import { connect } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  Permutation,
  permutationBuilder,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect, epochIds, idOf, readIds, readSome, sorted, withDataset } from "../support/reading.ts";
import { idRows, range, tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
let path: string;
let train: Permutation;
let val: Permutation;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 100, { fragments: 3 });
  await permutationBuilder(path)
    .splitRandom({ ratios: [0.8, 0.2], seed: 7, splitNames: ["train", "val"] })
    .persist(folder, "split");
  train = await Permutation.fromTables(path, tablePath(folder, "split"), "train");
  val = await Permutation.fromTables(path, tablePath(folder, "split"), "val");
  await (await (await connect(folder)).openTable("ids")).add(idRows(100, 120));
});

async function rowsOf(permutation: Permutation): Promise<number[]> {
  return (await collect(permutation)).map(idOf);
}

describe("a permutation that is streamed", () => {
  test("gives its own rows in every epoch, shuffled anew", async () => {
    const rows = await rowsOf(val);
    await withDataset(path, { permutation: val, shuffleSeed: 7 }, async (dataset) => {
      const epochs = [await readIds(dataset), await readIds(dataset), await readIds(dataset)];
      for (const epoch of epochs) expect(sorted(epoch)).toEqual(sorted(rows));
      expect(new Set(epochs.map(String)).size).toBe(3);
      expect(dataset.version).toBe(3);
    });
    expect(sorted([...rows, ...(await rowsOf(train))])).toEqual(range(0, 100));
  });

  test("keeps its own order without a shuffle", async () => {
    const rows = await rowsOf(train);
    await withDataset(path, { permutation: train, shuffle: false }, async (dataset) => {
      expect(await readIds(dataset)).toEqual(rows);
      expect(await readIds(dataset)).toEqual(rows);
    });
  });

  test("may be a view, whose columns do not count", async () => {
    const view = train.selectColumns(["name"]).withSkip(10).withTake(5).withRepeat(2);
    const rows = (await rowsOf(train)).slice(10, 15);
    const ids = await epochIds(path, { permutation: view, shuffle: false });
    expect(ids).toEqual([...rows, ...rows]);
  });

  test.each(["memory", "take"] as const)("is the same over any number of ranks by %s", async (fetch) => {
    const options = { permutation: train, numSplits: 4, fetch } satisfies StreamingDatasetOptions;
    const whole = await epochIds(path, options);
    const ranks = [
      await epochIds(path, { ...options, rank: 0, worldSize: 2 }),
      await epochIds(path, { ...options, rank: 1, worldSize: 2 }),
    ];
    const cycles = range(0, 20).flatMap((cycle) =>
      ranks.flatMap((ids) => ids.slice(cycle * 2, cycle * 2 + 2)),
    );
    expect(cycles).toEqual(whole);
  });

  test("holds its own rows in memory and no others", async () => {
    // 100 rows of 4 bytes, of which the budget carries 20.
    const options = { columns: ["id"], fetch: "memory", memoryBudget: 100 } as const;
    await withDataset(path, { ...options, permutation: val }, async (dataset) => {
      const rows = sorted(await rowsOf(val));
      expect(sorted(await readIds(dataset))).toEqual(rows);
      const loaded = dataset.stats.bytesLoaded;
      expect(dataset.stats.budgetUsed).toBe(4 * rows.length);
      expect(sorted(await readIds(dataset))).toEqual(rows);
      expect(dataset.stats.bytesLoaded).toBe(loaded);
    });
    const splitStrategy: StreamingDatasetOptions["splitStrategy"] = (builder) =>
      builder.splitCalculated({ calculation: "id % 10 - 8" });
    await withDataset(path, { ...options, splitStrategy, version: 3 }, async (dataset) => {
      expect(sorted(await readIds(dataset))).toEqual(range(0, 100).filter((id) => id % 10 > 7));
    });
    await withDataset(path, { ...options, permutation: train }, (dataset) =>
      failure(() => readIds(dataset), "INVALID_ARGUMENT", "memoryBudget"),
    );
  });

  test("resumes from its state, which another permutation refuses", async () => {
    const options = { permutation: train, shuffleSeed: 3 };
    const whole = await epochIds(path, options);
    const [seen, state] = await withDataset(path, options, async (dataset) => {
      const ids = await readSome(dataset, 31);
      return [ids, JSON.parse(JSON.stringify(dataset.stateDict()))] as const;
    });
    const rest = await epochIds(path, { permutation: train, state });
    expect([...seen, ...rest]).toEqual(whole);
    for (const permutation of [val, train.withTake(40)])
      await failure(
        () => StreamingDataset.open(path, { permutation, state }),
        "STATE_MISMATCH",
        "permutation",
      );
    await failure(() => StreamingDataset.open(path, { state }), "STATE_MISMATCH", "permutation");
  });

  test("excludes what it says already", async () => {
    const open = (options: StreamingDatasetOptions) => StreamingDataset.open(path, options);
    await failure(() => open({ permutation: val, filter: "id > 1" }), "INVALID_ARGUMENT", "filter");
    await failure(
      () => open({ permutation: val, splitStrategy: (each) => each }),
      "INVALID_ARGUMENT",
      "splitStrategy",
    );
    await failure(() => open({ permutation: val, version: 4 }), "INVALID_ARGUMENT", "version", "3");
    await failure(() => open({ permutation: {} as never }), "INVALID_ARGUMENT", "permutation");
    const other = await writeIds(folder, "other", 100, { fragments: 3 });
    await failure(
      () => StreamingDataset.open(other, { permutation: val }),
      "INVALID_ARGUMENT",
      "another table",
    );
  });
});

describe("a split strategy", () => {
  const byRest: StreamingDatasetOptions = {
    splitStrategy: (builder) => builder.splitCalculated({ calculation: "id % 4" }),
    filter: "id < 40",
    shuffleSeed: 1,
  };

  test("makes the splits, inside which each epoch is shuffled", async () => {
    await withDataset(path, byRest, async (dataset) => {
      expect(dataset.numSplits).toBe(4);
      const epochs = [await readIds(dataset), await readIds(dataset)];
      for (const epoch of epochs) {
        expect(sorted(epoch)).toEqual(range(0, 40));
        expect(epoch.map((id) => id % 4)).toEqual(range(0, 40).map((position) => position % 4));
      }
      expect(epochs[0]).not.toEqual(epochs[1]);
    });
    const stored = await epochIds(path, { ...byRest, shuffle: false });
    expect(stored).toEqual(range(0, 40));
  });

  test("of unequal splits is cut to the shortest, with a warning that counts the rows", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    try {
      const splitStrategy: StreamingDatasetOptions["splitStrategy"] = (builder) =>
        builder.splitSequential({ counts: [10, 7] });
      await withDataset(path, { splitStrategy, shuffle: false }, async (dataset) => {
        expect([dataset.numSamples, dataset.numDropped]).toEqual([14, 3]);
        expect(sorted(await readIds(dataset))).toEqual([...range(0, 7), ...range(10, 17)]);
      });
      expect(warn.mock.calls.map(String).join()).toContain("3 rows");
    } finally {
      warn.mockRestore();
    }
  });

  test("resumes from its state, which another strategy refuses", async () => {
    const whole = await epochIds(path, byRest);
    const [seen, state] = await withDataset(path, byRest, async (dataset) => {
      return [await readSome(dataset, 13), dataset.stateDict()] as const;
    });
    expect([...seen, ...(await epochIds(path, { ...byRest, state }))]).toEqual(whole);
    const other: StreamingDatasetOptions = {
      ...byRest,
      splitStrategy: (builder) => builder.splitRandom({ fixed: 4 }),
      state,
    };
    await failure(() => StreamingDataset.open(path, other), "STATE_MISMATCH", "split_strategy");
  });

  test("that does not fit is refused with the reason", async () => {
    const open = (options: StreamingDatasetOptions) => StreamingDataset.open(path, options);
    await failure(() => open({ ...byRest, numSplits: 3 }), "INVALID_ARGUMENT", "numSplits is 3", "4 splits");
    await failure(() => open({ splitStrategy: (() => 1) as never }), "INVALID_ARGUMENT", "splitStrategy");
    await failure(() => open({ splitStrategy: 1 as never }), "INVALID_ARGUMENT", "splitStrategy");
    const empty: StreamingDatasetOptions = {
      splitStrategy: (builder) => builder.splitCalculated({ calculation: "id % 2 + 1" }),
    };
    await failure(() => open(empty), "TOO_FEW_ROWS", "split 0");
  });
});
