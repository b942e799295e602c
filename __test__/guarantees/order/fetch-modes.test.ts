import { Table, Utf8, vectorFromArray } from "apache-arrow";
import { beforeAll, describe, expect, test } from "vitest";
import {
  Permutation,
  permutationBuilder,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, readIds, readSome, sorted } from "../../support/reading.ts";
import { idRows, range, tablePath, writeTable } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { World } from "../../support/world.ts";

const folder = tempFolder();
const rows = 600;
/** Too little for the rows in memory; enough for 2 bytes of each while they are dealt. */
const small = 9600;
let path: string;
let repeated: Permutation<unknown>;

beforeAll(async () => {
  const parts = range(0, 3).map((part) => paddedRows(200 * part, 200 * part + 200));
  await (await writeTable(folder, "ids", parts)).delete("id % 50 = 49");
  path = tablePath(folder, "ids");
  const built = await permutationBuilder(path)
    .bootstrapSample({ numSamples: rows, counts: [rows], seed: 4 })
    .execute();
  repeated = await Permutation.fromTables(path, built, 0);
});

/** Rows of about 50 bytes, so that they pass a budget that carries 2 bytes of each. */
function paddedRows(start: number, end: number): Table {
  const padding = range(start, end).map((id) => String(id).padEnd(10 + (id % 50), "-"));
  return idRows(start, end).assign(new Table({ padding: vectorFromArray(padding, new Utf8()) }));
}

function modes(budget = small): StreamingDatasetOptions[] {
  return [
    { fetch: "memory" },
    { fetch: "scratch", memoryBudget: budget },
    { fetch: "scratch", memoryBudget: 4 * budget, ioQueueDepth: 1, scratchDir: folder },
    { fetch: "take", memoryBudget: small },
    { memoryBudget: small },
    {},
  ];
}

describe("every way of fetching gives the same samples in the same order", () => {
  const cases: [what: string, options: () => StreamingDatasetOptions, budget?: number][] = [
    ["shuffled", () => ({ shuffleSeed: 5, epoch: 2 })],
    ["in storage order", () => ({ shuffle: false })],
    ["in clumps", () => ({ shuffleClumpSize: 7 })],
    ["in splits with a remainder", () => ({ numSplits: 7, remainder: "keep" })],
    ["filtered", () => ({ filter: "id % 3 <> 1", numSplits: 2 })],
    // Each repeat needs 16 bytes while rows are dealt.
    ["of a permutation with repeats", () => ({ permutation: repeated }), 5 * small],
    [
      "of a split strategy",
      () => ({ splitStrategy: (builder) => builder.splitHash({ columns: ["id"], splitWeights: [1, 1] }) }),
    ],
    [
      "of one worker of a rank",
      () => ({ numSplits: 8, worldSize: 2, rank: 1, worker: { id: 1, numWorkers: 2 } }),
    ],
    ["of strings only", () => ({ columns: ["id", "name"] })],
  ];
  test.each(cases)("%s", async (_, options, budget) => {
    const [first, ...others] = await Promise.all(
      modes(budget).map((mode) => epochIds(path, { ...options(), ...mode })),
    );
    expect(first?.length).toBeGreaterThan(100);
    for (const other of others) expect(other).toEqual(first);
  });

  test("on every number of ranks, step by step", async () => {
    const steps: number[][][] = [];
    for (const fetch of ["memory", "scratch", "take"] as const)
      for (const worldSize of [1, 2, 4]) {
        await using world = await World.open(path, worldSize, {
          numSplits: 4,
          fetch,
          memoryBudget: 20 * small,
        });
        const ranks = await world.read(8 / worldSize);
        steps.push(
          (ranks[0] ?? []).map((_, step) => sorted(ranks.flatMap((batches) => batches[step] ?? []))),
        );
      }
    for (const other of steps) expect(other).toEqual(steps[0]);
    expect(sorted((steps[0] ?? []).flat())).toEqual(range(0, rows).filter((id) => id % 50 !== 49));
  });

  test("from wherever a state stopped", async () => {
    const whole = await epochIds(path, { fetch: "take" });
    for (const stop of [1, 40, 333]) {
      await using dataset = await StreamingDataset.open(path, { fetch: "scratch", memoryBudget: small });
      const first = await readSome(dataset, stop);
      await using resumed = await StreamingDataset.open(path, {
        fetch: "scratch",
        memoryBudget: small,
        state: dataset.stateDict(),
      });
      expect([...first, ...(await readIds(resumed))]).toEqual(whole);
    }
  });

  test("epoch after epoch", async () => {
    const read = async (options: StreamingDatasetOptions) => {
      await using dataset = await StreamingDataset.open(path, options);
      return [await readIds(dataset), await readIds(dataset), await readIds(dataset)];
    };
    const [first, ...others] = await Promise.all(modes().map(read));
    for (const other of others) expect(other).toEqual(first);
    expect(first?.[0]).not.toEqual(first?.[1]);
  });
});

describe("stats.fetch says how rows are read and why", () => {
  test.each([
    [{}, "memory", "they fit"],
    [{ memoryBudget: small }, "scratch", "takes"],
    [{ memoryBudget: small, scratchBytes: 0 }, "take", "scratch has no room"],
    [{ memoryBudget: small, shuffle: false }, "take", "scratch would take"],
    [{ memoryBudget: small, scratchDir: "/does/not/exist" }, "take", "/does/not/exist"],
    [{ fetch: "scratch", memoryBudget: small }, "scratch", "asked for"],
    [{ fetch: "take" }, "take", "asked for"],
  ] as const)("%o: %s", async (options, mode, reason) => {
    await using dataset = await StreamingDataset.open(path, options);
    expect(dataset.stats.fetch).toBeUndefined();
    await readIds(dataset);
    expect(dataset.stats.fetch).toEqual({ mode, reason: expect.stringContaining(reason) });
  });
});

describe("scratch that can't be had is an error for who asked for it:", () => {
  test.each([
    [{ scratchDir: "/does/not/exist" }, "scratchDir"],
    [{ scratchBytes: 1000 }, "scratchBytes"],
    [{ memoryBudget: 64 }, "memoryBudget"],
  ] as const)("%o", async (options, named) => {
    await using dataset = await StreamingDataset.open(path, {
      fetch: "scratch",
      memoryBudget: small,
      ...options,
    });
    await failure(() => readIds(dataset), "WRITE_FAILED", named);
  });
});
