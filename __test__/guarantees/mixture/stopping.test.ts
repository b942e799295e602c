import { Field, Int32, List, Table, vectorFromArray } from "apache-arrow";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Batch,
  type Mixture,
  type MixturePart,
  mix,
  StreamingDataLoader,
  StreamingDataset,
} from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { known } from "../../support/known.ts";
import { openMixture, tableOf, tableRows, writeTables } from "../../support/mixtures.ts";
import { collect, idsOf, readIds, readSome } from "../../support/reading.ts";
import { idRows, range, tablePath, writeTable } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const numSplits = 2;
let paths: string[];

beforeAll(async () => {
  paths = await writeTables(folder);
});

function counts(ids: readonly number[]): number[] {
  return tableRows.map((_, at) => ids.filter((id) => tableOf(id) === at).length);
}

/** The rows of each table that an epoch over whole splits has. */
const whole = tableRows.map((rows) => rows - (rows % numSplits));

test('"first" ends before a dataset would have to begin anew', async () => {
  for (const seed of range(0, 10)) {
    await using mixture = await openMixture({ paths, weights: [1, 1, 1], seed, datasets: { numSplits } });
    const ids = await readIds(mixture);
    expect(new Set(ids).size).toBe(ids.length);
    // One split has had its dataset whole; the others miss a few samples at most.
    expect(counts(ids)[0]).toBeGreaterThanOrEqual(known(whole[0]) - numSplits);
    expect(ids).toHaveLength(mixture.numSamples);
  }
});

test('"all" ends when every dataset was had whole, and repeats the smaller ones', async () => {
  for (const seed of range(0, 10)) {
    await using mixture = await openMixture({
      paths,
      weights: [1, 1, 1],
      seed,
      stop: "all",
      datasets: { numSplits },
    });
    const ids = await readIds(mixture);
    for (const at of [0, 1, 2])
      expect(new Set(ids.filter((id) => tableOf(id) === at)).size).toBeGreaterThanOrEqual(known(whole[at]));
    expect(counts(ids)[0]).toBeGreaterThan(5 * known(whole[0]));
    expect(counts(ids)[2]).toBeLessThanOrEqual(known(whole[2]) + numSplits);
  }
});

describe("with datasets", () => {
  const use = async (
    kinds: readonly Omit<MixturePart, "dataset">[],
    check: (parts: readonly MixturePart[]) => Promise<void>,
  ) => {
    const datasets = await Promise.all(paths.map((path) => StreamingDataset.open(path, { numSplits })));
    await check(datasets.map((dataset, at) => ({ dataset, ...kinds[at] })));
    for (const dataset of datasets) await dataset.close();
  };

  test("repeat and choose give exactly so many samples, in every epoch", async () => {
    await use([{ repeat: 2.5 }, { choose: 10 }, { repeat: 1 }], async (parts) => {
      await using mixture = await mix(parts, { seed: 4 });
      for (const _ of range(0, 3)) {
        const ids = await readIds(mixture);
        expect(counts(ids)).toEqual([20, 10, 60]);
        expect(new Set(ids.filter((id) => tableOf(id) === 2)).size).toBe(60);
      }
    });
  });

  test("wrong weights and rules are refused", async () => {
    const refused = (kinds: readonly Omit<MixturePart, "dataset">[], options: object, ...words: string[]) =>
      use(kinds, async (parts) => {
        await failure(() => mix(parts, options), "INVALID_ARGUMENT", ...words);
      });
    const equal = [{ weight: 1 }, { weight: 1 }, { weight: 1 }];
    await refused([{ weight: -1 }, { weight: 1 }, { weight: 1 }], {}, "parts[0].weight", "-1");
    await refused([{ weight: Number.NaN }, { weight: 1 }, { weight: 1 }], {}, "NaN");
    await refused([{ weight: 0 }, { weight: 0 }, { weight: 0 }], {}, "the weights");
    await refused([{ weight: 1e-12 }, { weight: 0.3 }, { weight: 1 }], {}, "parts[0].weight", "2^-32");
    await refused([{ weight: 1, repeat: 1 }, { weight: 1 }, { weight: 1 }], {}, "weight and repeat");
    await refused([{}, { weight: 1 }, { weight: 1 }], {}, "parts[0] has no weight");
    await refused([{ repeat: 1 }, { weight: 1 }, { weight: 1 }], {}, "2 of 3 datasets");
    await refused([{ choose: 3 }, { repeat: 1 }, { repeat: 1 }], {}, "parts[0].choose", "numSplits");
    await refused([{ repeat: 0.1 }, { choose: 0 }, { choose: 0 }], {}, "repeat and choose");
    await refused([{ repeat: 1 }, { repeat: 1 }, { repeat: 1 }], { stop: "all" }, "stop");
    await refused(equal, { stop: 7 }, "stop is 7", "numSplits");
    await refused(equal, { stop: 0 }, "stop is 0");
    await refused(equal, { stop: "last" }, 'stop is "last"');
    await refused(equal, { seed: -1 }, "-1");
    await refused(equal, { shuffle: true }, '"shuffle"');
    await refused(equal, { epoch: 2 ** 53 - 1 }, "epoch");
  });
});

test("datasets that do not fit together are refused, naming which and why", async () => {
  const [path] = paths as [string];
  await writeTable(folder, "other", [new Table({ id: vectorFromArray([1, 2, 3, 4], new Int32()) })]);
  await using fits = await StreamingDataset.open(path, { numSplits: 2 });
  const refused = async (options: object, source: string, ...words: string[]) => {
    await using dataset = await StreamingDataset.open(source, options);
    const parts = [fits, dataset].map((one) => ({ dataset: one, weight: 1 }));
    await failure(() => mix(parts), "INVALID_ARGUMENT", ...words);
  };
  await refused({ numSplits: 4 }, path, "parts[1].dataset", "numSplits 4");
  await refused({ numSplits: 2, worldSize: 2 }, path, "worldSize 2");
  await refused({ numSplits: 2, worker: { id: 0, numWorkers: 2 } }, path, "worker");
  await refused({ numSplits: 2, remainder: "keep" }, path, "remainder");
  await refused({ numSplits: 2 }, tablePath(folder, "other"), "dataset 1", "id: Int32");
  await refused({ numSplits: 2, skipSteps: { batchSize: 2, steps: [1] } }, path, "skipSteps");
  await failure(() => mix([]), "INVALID_ARGUMENT", "parts");
  await failure(() => mix([{ dataset: null as never, weight: 1 }]), "INVALID_ARGUMENT", "parts[0].dataset");
  await using mixture = await mix([{ dataset: fits, weight: 1 }]);
  await failure(() => mix([{ dataset: mixture, weight: 1 }]), "INVALID_ARGUMENT", "of one table");
  await readSome(fits, 1);
  await failure(() => mix([{ dataset: fits, weight: 1 }]), "INVALID_ARGUMENT", "inside an epoch");
  await fits.close();
  await failure(() => mix([{ dataset: fits, weight: 1 }]), "CLOSED");
});

test("a state of another mixture is refused", async () => {
  const open = (seed: number, state?: object) =>
    openMixture({
      paths,
      weights: [1, 1, 1],
      datasets: { numSplits, epoch: seed },
      ...(state && { state: state as never }),
    });
  await using mixture = await open(0);
  const state = mixture.stateDict();
  await using other = await openMixture({
    paths: paths.slice(0, 2),
    weights: [1, 1],
    datasets: { numSplits },
  });
  await failure(() => other.loadStateDict(state), "STATE_MISMATCH");
  await failure(
    () => open(3, state),
    "STATE_MISMATCH",
    "mixture.datasets[0].epoch",
    "state.mixture.datasets[0]",
  );
  const { mixture: part, ...plain } = state;
  await failure(() => mixture.loadStateDict(plain), "STATE_INVALID", "mixture");
  for (const broken of [
    { ...part, weights: [1, -1, 1] },
    { ...part, datasets: [] },
    { ...part, split_length: 0.5 },
    { ...part, base: { epoch: 0, level: 1, segment: 1, given: [[0]] } },
  ])
    await failure(
      () => mixture.loadStateDict({ ...plain, mixture: broken as never }),
      "STATE_INVALID",
      "mixture.",
    );
  expect(mixture.stateDict()).toEqual(state);
});

test("a mixture is read by a loader, collated, and leaves out steps", async () => {
  const options = { paths, weights: [1, 2, 3], stop: 60, datasets: { numSplits } } as const;
  await using mixture = await openMixture(options);
  const loader = new StreamingDataLoader(mixture, { batchSize: 6, collate: (batch) => idsOf(batch) });
  const batches = await collect(loader);
  expect(batches.map((batch) => batch.length)).toEqual(range(0, 10).map(() => 6));
  await using skipping = await openMixture({ ...options, skipSteps: { batchSize: 6, steps: [[2, 5], 7] } });
  const left = batches.filter((_, step) => (step < 2 || step >= 5) && step !== 7);
  expect(await collect(new StreamingDataLoader(skipping, { batchSize: 6, collate: idsOf }))).toEqual(left);
});

test("tables that were written later don't change a mixture", async () => {
  const database = await writeTable(folder, "growing", [idRows(0, 20)]);
  await using dataset = await StreamingDataset.open(tablePath(folder, "growing"));
  await using mixture = await mix([{ dataset, repeat: 1 }]);
  await database.add(idRows(20, 40));
  expect((await readIds(mixture)).toSorted((a, b) => a - b)).toEqual(range(0, 20));
});

describe("what a mixture hands over can be", () => {
  test("transformed, with rows skipped, and resumed", async () => {
    const options = {
      paths,
      weights: [1, 2, 3],
      stop: 60,
      datasets: { numSplits },
      onTransformError: "skip",
      transform: (batch: Batch) =>
        idsOf(batch).map((id) => {
          if (id % 7 === 3) throw new Error("a bad row");
          return id * 2;
        }),
    } as const;
    const open = (more: object = {}) =>
      openMixture({ ...options, ...more }) as Promise<unknown> as Promise<Mixture<number>>;
    await using plain = await openMixture({
      ...options,
      transform: undefined as never,
      onTransformError: undefined as never,
    });
    const good = (await readIds(plain)).filter((id) => id % 7 !== 3).map((id) => id * 2);
    await using mixture = await open();
    const whole = await collect(mixture);
    expect(whole.every((sample) => good.includes(sample))).toBe(true);
    expect(whole.length).toBeGreaterThan(40);
    mixture.setEpoch(0);
    const first: number[] = [];
    for await (const sample of mixture) if (first.push(sample) === 22) break;
    await using resumed = await open({ state: JSON.parse(JSON.stringify(mixture.stateDict())) });
    expect([...first, ...(await collect(resumed))]).toEqual(whole);
  });

  test("packed", async () => {
    const folderOf = (at: number) => tablePath(folder, `tokens-${at}`);
    for (const at of [0, 1]) {
      const tokens = vectorFromArray(
        range(0, 12).map((row) => range(0, 3 + (row % 4)).map(() => at + 1)),
        new List(new Field("item", new Int32())),
      );
      await writeTable(folder, `tokens-${at}`, [new Table({ tokens })]);
    }
    const datasets = await Promise.all(
      [0, 1].map((at) => StreamingDataset.open(folderOf(at), { numSplits })),
    );
    await using mixture = await mix(
      datasets.map((dataset) => ({ dataset, repeat: 1 })),
      { packSequences: 8, eosId: 0, padId: 9, blocksPerEpoch: 18 },
    );
    const tokens = (await collect(mixture.batches(2))).flatMap((batch) =>
      Array.from(batch.tensor("inputIds").data, Number),
    );
    const count = (token: number) => tokens.filter((one) => one === token).length;
    // 12 documents of 3 to 6 tokens in each table, and an end of each.
    expect([1, 2, 0].map(count)).toEqual([54, 54, 24]);
    for (const dataset of datasets) await dataset.close();
  });
});
