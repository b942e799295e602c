import { describe, expect, test } from "vitest";
import { goldenCases } from "../../support/golden.ts";
import { idsOf, readIds, withDataset } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

interface ShuffleCase {
  readonly rows: string;
  readonly clump_size: string;
  readonly seed: string;
  readonly epoch: string;
  readonly indices: readonly string[];
}

interface BijectionCase {
  readonly size: string;
  readonly seed: string;
  readonly epoch: string;
  readonly positions: readonly string[];
  readonly images: readonly string[];
}

interface PlanCase {
  readonly lengths: readonly string[];
  readonly owned: readonly [number, number];
  readonly progress: readonly string[];
  readonly entries: readonly (readonly [number, string])[];
  readonly after: readonly { readonly samples: number; readonly progress: readonly string[] }[];
}

const folder = tempFolder();
const paths = new Map<number, Promise<string>>();

/** A table of ids with `rows` rows, in two fragments where there are that many. */
function table(rows: number): Promise<string> {
  const path = paths.get(rows) ?? writeIds(folder, `rows-${rows}`, rows, { fragments: Math.min(2, rows) });
  paths.set(rows, path);
  return path;
}

describe("the order is that of the golden vectors", () => {
  test("for shuffles of rows and of clumps", async () => {
    for (const { rows, clump_size, seed, epoch, indices } of goldenCases<ShuffleCase>("shuffle")) {
      const options = {
        shuffleSeed: BigInt(seed),
        epoch: Number(epoch),
        shuffleClumpSize: Number(clump_size),
      };
      const ids = await withDataset(await table(Number(rows)), options, (dataset) => readIds(dataset));
      expect(ids, JSON.stringify({ rows, clump_size, seed, epoch })).toEqual(indices.map(Number));
    }
  });

  test("for the bijection under them", async () => {
    const cases = goldenCases<BijectionCase>("bijection").filter(({ size }) => Number(size) <= 1000);
    expect(cases.length).toBeGreaterThan(50);
    for (const { size, seed, epoch, positions, images } of cases) {
      const options = { shuffleSeed: BigInt(seed), epoch: Number(epoch) };
      const ids = await withDataset(await table(Number(size)), options, (dataset) => readIds(dataset, 1000));
      const there = positions.map((position) => ids[Number(position)]);
      expect(there, JSON.stringify({ size, seed, epoch })).toEqual(images.map(Number));
    }
  });

  test("for plans, from any progress, on the ranks that own the splits", async () => {
    // Splits of other lengths come from split strategies only.
    const cases = goldenCases<PlanCase>("plan").filter(({ lengths }) => isEvenCut(lengths.map(Number)));
    expect(cases.length).toBeGreaterThan(10);
    for (const planCase of cases) await checkPlan(planCase);
  });
});

async function checkPlan({ lengths, owned, progress, entries, after }: PlanCase): Promise<void> {
  const sizes = lengths.map(Number);
  const [start, end] = owned;
  const worldSize = sizes.length / (end - start);
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const options = {
    shuffle: false,
    numSplits: sizes.length,
    worldSize,
    rank: worldSize - 1,
    remainder: "keep",
  } as const;
  await withDataset(await table(rows), options, async (dataset) => {
    const state = { ...dataset.stateDict(), samples_consumed_per_split: progress.map(Number) };
    const { owned_splits: _, positions_consumed_per_split: __, ...shared } = state;
    dataset.loadStateDict(shared);
    const ids: number[] = [];
    for await (const batch of dataset.batches(1)) {
      ids.push(...idsOf(batch));
      const expected = after.find(({ samples }) => samples === ids.length);
      const counted = dataset.stateDict().samples_consumed_per_split as readonly number[];
      if (expected !== undefined)
        expect(counted.slice(start, end)).toEqual(expected.progress.map(Number).slice(start, end));
    }
    const starts = sizes.map((_, split) => sizes.slice(0, split).reduce((sum, size) => sum + size, 0));
    expect(ids).toEqual(entries.map(([split, position]) => (starts[split] ?? 0) + Number(position)));
  });
}

function isEvenCut(lengths: readonly number[]): boolean {
  const longest = Math.max(...lengths);
  return (
    lengths.every((length, split) => length === longest || (length === longest - 1 && split > 0)) &&
    lengths.every((length, split) => length <= (lengths[split - 1] ?? longest))
  );
}
