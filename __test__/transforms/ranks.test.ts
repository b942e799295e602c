import { describe, expect, test } from "vitest";
import { StreamingDataset } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { splitsOf } from "../support/plan-model.ts";
import { collect, epochIds, sorted } from "../support/reading.ts";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failingOn, surviving } from "../support/transforms.ts";
import { runRanks } from "./support/ranks.ts";

const folder = tempFolder();
const numSplits = 4;
const forty = await writeIds(folder, "forty", 40);
/** Enough cycles for more than two stages of every rank. */
const many = await writeIds(folder, "many", 4 * 700);

async function splitsIn(path: string): Promise<number[][]> {
  return splitsOf(await epochIds(path, { numSplits, shuffle: false }), numSplits).map((split) => [...split]);
}

/** The rows of each global step: those of all ranks. */
function globalSteps(ranks: readonly (readonly number[][])[]): number[][] {
  const steps = Math.max(...ranks.map((rank) => rank.length));
  return range(0, steps).map((step) => sorted(ranks.flatMap((rank) => rank[step] ?? [])));
}

describe("ranks in processes of their own, of which one loses rows, with a collective", () => {
  // Splits 0 and 1, those of rank 0 of two, are the first twenty rows.
  const bad = [0, 3, 4, 8, 11, 12];
  const run = (worldSize: number, sync = true) =>
    runRanks({
      table: forty,
      worldSize,
      numSplits,
      batchSize: numSplits / worldSize,
      epochs: 2,
      bad,
      sync,
    });

  test("end at the same step, and every step is full", async () => {
    const ranks = await run(2);
    for (const { epochs, calls } of ranks) {
      expect(calls).toBe(ranks[0]?.calls);
      // Split 0 keeps six of its ten rows.
      expect(epochs.map((steps) => steps.map((step) => step.length))).toEqual([
        Array(6).fill(2),
        Array(6).fill(2),
      ]);
    }
    expect(ranks.map(({ skipped }) => skipped)).toEqual([12, 0]);
  });

  test("are the same step by step in worlds of 1, 2 and 4", async () => {
    const expected = surviving(await splitsIn(forty), bad);
    const steps = range(0, 6).map((step) => sorted(expected.slice(step * 4, (step + 1) * 4)));
    for (const worldSize of [1, 2, 4]) {
      const ranks = await run(worldSize);
      for (const epoch of [0, 1])
        expect(globalSteps(ranks.map(({ epochs }) => epochs[epoch] ?? []))).toEqual(steps);
    }
  });

  test("would end at different steps without it", async () => {
    const ranks = await run(2, false);
    expect(ranks.map(({ epochs }) => epochs[0]?.length)).toEqual([6, 10]);
  });

  test("agree over many stages, wherever the first rank ends", async () => {
    const splits = await splitsIn(many);
    for (const lost of [1, 443, 444, 445, 572, 700]) {
      const unlucky = (splits[0] ?? []).slice(700 - lost);
      const options = { table: many, worldSize: 2, numSplits, batchSize: 2, epochs: 1, sync: true };
      const ranks = await runRanks({ ...options, bad: unlucky });
      expect(ranks.map(({ epochs }) => epochs[0]?.length)).toEqual([700 - lost, 700 - lost]);
      expect(ranks[0]?.calls).toBe(ranks[1]?.calls);
      expect(ranks.flatMap(({ epochs }) => epochs.flat(2)).length).toBe(4 * (700 - lost));
    }
  });
});

describe("a rank", () => {
  const options = { numSplits, shuffle: false, transform: failingOn([]) };

  test("agrees when its consumer needs it, however far it has read ahead", async () => {
    const given: number[] = [];
    await using dataset = await StreamingDataset.open(many, {
      ...options,
      syncEpochEnd: async (n) => {
        given.push(n);
        return n;
      },
    });
    const seen: number[] = [];
    for await (const _ of dataset.batches(32, { collate: (batch) => batch, prefetch: 8 })) {
      seen.push(given.length);
      if (seen.length === 18) break;
    }
    // The call about where to begin, and one for every 256 samples, 8 batches of 32.
    expect(seen).toEqual([...Array(8).fill(2), ...Array(8).fill(3), ...Array(2).fill(4)]);
    expect(given).toEqual([0, 64, 128, 192]);
  });

  test("without failures or a transform ends with the others, who have a row less", async () => {
    await using dataset = await StreamingDataset.open(forty, {
      numSplits: 3,
      remainder: "keep",
      shuffle: false,
      syncEpochEnd: async (n) => Math.min(n, 13),
    });
    // Split 0 has 14 rows, the others have 13.
    expect(dataset.numSamples).toBe(40);
    expect((await collect(dataset)).length).toBe(39);
    expect(dataset.epoch).toBe(1);
  });

  test("goes on from where a state stands, by the same numbers as others", async () => {
    const given: number[] = [];
    await using dataset = await StreamingDataset.open(many, {
      ...options,
      syncEpochEnd: async (n) => given.push(n) && n,
    });
    for await (const _ of dataset.batches(4 * 10)) break;
    given.length = 0;
    for await (const _ of dataset.batches(4)) break;
    expect(given).toEqual([10, 74]);
  });

  test.each<[string, (n: number) => Promise<number>]>([
    ["syncEpochEnd failed: the network is gone", () => Promise.reject(new Error("the network is gone"))],
    ["syncEpochEnd gave 65 for 64", async (n) => n + 1],
    ["syncEpochEnd gave undefined", async () => undefined as unknown as number],
    ["syncEpochEnd gave NaN", async () => Number.NaN],
    ["syncEpochEnd gave -1", async () => -1],
  ])("fails where the collective does: %s", async (message, syncEpochEnd) => {
    let calls = 0;
    await using dataset = await StreamingDataset.open(many, {
      ...options,
      syncEpochEnd: (n) => (calls++ === 0 ? Promise.resolve(n) : syncEpochEnd(n)),
    });
    await failure(() => collect(dataset), "SYNC_FAILED", message);
  });

  test("does not wait for a collective that never answers once it is aborted or closed", async () => {
    const stopped = new AbortController();
    const syncEpochEnd = () => new Promise<number>(() => {});
    await using dataset = await StreamingDataset.open(many, {
      ...options,
      syncEpochEnd,
      signal: stopped.signal,
    });
    const pending = dataset.batches(4).next();
    setImmediate(() => stopped.abort());
    await failure(() => pending, "ABORTED");
    await using other = await StreamingDataset.open(many, { ...options, syncEpochEnd });
    const waiting = other.batches(4).next();
    setImmediate(() => other.close());
    await failure(() => waiting, "CLOSED");
  });
});
