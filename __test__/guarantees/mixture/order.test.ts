import { beforeAll, describe, expect, test } from "vitest";
import { mix, Permutation, permutationBuilder, StreamingDataset } from "../../../src/index.ts";
import { goldenCases } from "../../support/golden.ts";
import { known } from "../../support/known.ts";
import {
  type Mixing,
  openMixture,
  splitsOfTable,
  tableOf,
  tableRows,
  writeTables,
} from "../../support/mixtures.ts";
import { collect, idOf, readBatches, readIds, sorted } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

interface MixtureCase {
  readonly weights: readonly string[];
  readonly seed: string;
  readonly segment: number;
  readonly num_splits: number;
  readonly sources: readonly (readonly number[])[];
}

const folder = tempFolder();
const numSplits = 4;
let paths: string[];

beforeAll(async () => {
  paths = await writeTables(folder);
});

/** What each split of a mixture should hand over, in plain words: the datasets that `sources` names give their next sample of the split, epoch after epoch. */
async function expectedSplits(sources: readonly (readonly number[])[], epochs: number): Promise<number[][]> {
  const samples = await Promise.all(
    paths.map(async (path, at) => {
      const all = await Promise.all(
        range(0, epochs).map((epoch) => splitsOfTable(path, { numSplits, shuffleSeed: at, epoch })),
      );
      return range(0, numSplits).map((split) => all.flatMap((splits) => splits[split] ?? []));
    }),
  );
  return sources.map((ofSplit, split) => {
    const next = paths.map(() => 0);
    return ofSplit.map((source) => {
      const n = next[source] ?? 0;
      next[source] = n + 1;
      return known(samples[source]?.[split]?.[n]);
    });
  });
}

function bySplit<Value>(values: readonly Value[]): Value[][] {
  return range(0, numSplits).map((split) => values.filter((_, place) => place % numSplits === split));
}

test("every dataset gives its own samples in its own order, and goes on with its next epoch", async () => {
  await using mixture = await openMixture({
    paths,
    weights: [3, 2, 5],
    stop: 240,
    datasets: { numSplits },
  });
  const sources = bySplit(Array.from(mixture.plan.datasets(0, 60)));
  expect(mixture.numSamples).toBe(240);
  const ids = await readIds(mixture, 7);
  expect(bySplit(ids)).toEqual(await expectedSplits(sources, 12));
  // The smallest table, of 8 rows, has begun anew many times.
  expect(ids.filter((id) => tableOf(id) === 0).length).toBeGreaterThan(60);
});

test("epochs of a mixture are stretches of one endless mixture", async () => {
  const options = { paths, weights: [3, 2, 5], datasets: { numSplits } };
  await using long = await openMixture({ ...options, stop: 240 });
  await using short = await openMixture({ ...options, stop: 80 });
  const three = [await readIds(short), await readIds(short), await readIds(short)];
  expect(three.flat()).toEqual(await readIds(long));
  short.setEpoch(1);
  expect(await readIds(short)).toEqual(three[1]);
});

test("the choice is that of the golden vectors", async () => {
  const cases = goldenCases<MixtureCase>("mixture").filter(
    ({ segment, weights }) => segment === 0 && weights.length <= tableRows.length,
  );
  expect(cases.length).toBeGreaterThan(5);
  for (const { weights, seed, num_splits, sources } of cases) {
    const mixing: Mixing = {
      paths: paths.slice(0, weights.length),
      weights: weights.map(Number),
      seed: BigInt(seed),
      stop: num_splits * 12,
      datasets: { numSplits: num_splits },
    };
    await using mixture = await openMixture(mixing);
    const expected = range(0, 12).flatMap((level) => sources.map((ofSplit) => known(ofSplit[level])));
    expect(Array.from(mixture.plan.datasets(0, 12)), JSON.stringify(weights)).toEqual(expected);
  }
});

test("samples of a plain loop, of batches and of a plan are the same rows", async () => {
  const options = { paths, weights: [1, 1, 1], datasets: { numSplits } };
  await using mixture = await openMixture(options);
  const ids = (await collect(mixture)).map(idOf);
  mixture.setEpoch(0);
  expect(await readIds(mixture, 5)).toEqual(ids);
  mixture.setEpoch(0);
  const sources = Array.from(mixture.plan.datasets(0, ids.length));
  expect(sources).toEqual(ids.map(tableOf));
  // Without deletions, row ids of a table of two fragments are those that a dataset of the table tells.
  const rowIds = Array.from(mixture.plan.rowIds(0, ids.length));
  for (const [at, path] of paths.entries()) {
    await using table = await StreamingDataset.open(path, { columns: ["id", "_rowid"], shuffle: false });
    const rows = await collect(table);
    const rowIdOf = new Map(rows.map((row) => [idOf(row), row["_rowid"]]));
    const own = ids.flatMap((id, place) => (tableOf(id) === at ? [[rowIdOf.get(id), rowIds[place]]] : []));
    expect(own.length).toBeGreaterThan(5);
    for (const [theirs, ours] of own) expect(ours).toBe(theirs);
  }
});

describe("a global step is the same on", () => {
  const step = async (worldSize: number, numWorkers: number) => {
    const parts: number[][][] = [];
    for (const rank of range(0, worldSize)) {
      for (const id of range(0, numWorkers)) {
        const datasets = { numSplits: 8, worldSize, rank, worker: { id, numWorkers } };
        await using mixture = await openMixture({ paths, weights: [1, 2, 4], stop: "all", datasets });
        parts.push(await readBatches(mixture, 16 / (worldSize * numWorkers)));
      }
    }
    return known(parts[0]).map((_, at) => sorted(parts.flatMap((part) => part[at] ?? [])));
  };
  test.each([
    [2, 1],
    [4, 1],
    [2, 2],
    [1, 8],
  ])("%i ranks with %i workers", async (worldSize, numWorkers) => {
    expect(await step(worldSize, numWorkers)).toEqual(await step(1, 1));
  });
});

test("shares are kept all along", async () => {
  await using mixture = await openMixture({ paths, weights: [1, 3, 6], stop: 2000, datasets: { numSplits } });
  const sources = Array.from(mixture.plan.datasets(0, 500));
  for (const end of [200, 400, 1000, 2000]) {
    const counts = range(0, 3).map((at) => sources.slice(0, end).filter((source) => source === at).length);
    for (const [at, share] of [0.1, 0.3, 0.6].entries())
      expect(Math.abs((counts[at] ?? 0) - share * end)).toBeLessThanOrEqual(3 * numSplits);
  }
});

test("filters and permutations of datasets hold in a mixture", async () => {
  const path = await writeIds(folder, "chosen", 100, { fragments: 3, deleted: "id % 10 = 3" });
  const table = await permutationBuilder(path).splitSequential({ fixed: 3 }).execute();
  const permutation = await Permutation.fromTables(path, table, 1);
  await using listed = await StreamingDataset.open(path, { permutation });
  await using filtered = await StreamingDataset.open(path, { filter: "id >= 80" });
  await using plain = await StreamingDataset.open(known(paths[1]));
  const rows = [listed.numSamples, filtered.numSamples, plain.numSamples];
  expect(rows).toEqual([30, 18, 23]);
  const expected = [await readIds(listed), await readIds(filtered), await readIds(plain)];
  for (const dataset of [listed, filtered, plain]) dataset.setEpoch(0);
  for (const fetch of ["memory", "take"] as const) {
    const parts = [listed, filtered, plain].map((dataset) => ({ dataset, repeat: 1 }));
    await using mixture = await mix(parts, { fetch });
    const ids = await readIds(mixture);
    const sources = (() => {
      mixture.setEpoch(0);
      return Array.from(mixture.plan.datasets(0, ids.length));
    })();
    for (const at of [0, 1, 2]) expect(ids.filter((_, place) => sources[place] === at)).toEqual(expected[at]);
  }
});
