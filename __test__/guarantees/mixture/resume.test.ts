import { beforeAll, describe, expect, test } from "vitest";
import { type Mixture, mix, type StateDict, StreamingDataset } from "../../../src/index.ts";
import { known } from "../../support/known.ts";
import { type Mixing, openMixture, tableOf, writeTables } from "../../support/mixtures.ts";
import { readBatches, readIds, readSome, sorted } from "../../support/reading.ts";
import { throughJson } from "../../support/states.ts";
import { range } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const numSplits = 4;
let paths: string[];

beforeAll(async () => {
  paths = await writeTables(folder);
});

/** The mixtures of all ranks. */
async function openRanks(worldSize: number, options: Omit<Mixing, "paths">): Promise<Mixture[]> {
  const ofRank = (rank: number) =>
    openMixture({ paths, ...options, datasets: { numSplits, worldSize, rank, ...options.datasets } });
  return await Promise.all(range(0, worldSize).map(ofRank));
}

/** Reads so many samples on each rank, and answers them and the merged state. */
async function run(ranks: readonly Mixture[], counts: readonly number[]) {
  const ids: number[] = [];
  for (const [rank, mixture] of ranks.entries()) ids.push(...(await readSome(mixture, counts[rank] ?? 0)));
  const states = ranks.map((mixture) => throughJson(mixture.stateDict()));
  return { ids, state: throughJson(StreamingDataset.mergeStateDicts(states)) };
}

async function closeAll(ranks: readonly Mixture[]): Promise<void> {
  for (const mixture of ranks) await mixture.close();
}

describe("a run that is stopped after", () => {
  const mixing = { weights: [3, 2, 5], seed: 9, stop: 72 } as const;

  test.each(range(0, 73).filter((count) => count % 5 === 0 || count < 10))(
    "%i samples goes on on other ranks with exactly the rest",
    async (count) => {
      const [alone] = (await openRanks(1, mixing)) as [Mixture];
      const whole = await readIds(alone);
      const firstWorld = [1, 2, 4][count % 3] ?? 1;
      const ranks = await openRanks(firstWorld, mixing);
      const share = Math.floor(count / firstWorld);
      const { ids, state } = await run(
        ranks,
        Array.from(ranks, (_, rank) => (rank === 0 ? count - share * (firstWorld - 1) : share)),
      );
      await closeAll(ranks);
      expect(ids).toHaveLength(count);
      for (const world of [1, 2, 4]) {
        const others = await openRanks(world, { ...mixing, state });
        const rest: number[] = [];
        for (const mixture of others) rest.push(...(await readIds(mixture)));
        await closeAll(others);
        expect(sorted([...ids, ...rest])).toEqual(sorted(whole));
      }
      if (firstWorld === 1) {
        alone.loadStateDict(state);
        expect(alone.stateDict()).toMatchObject(state);
        expect([...ids, ...(await readIds(alone))]).toEqual(whole);
      }
      await alone.close();
    },
  );
});

test("a state reopens its datasets where they were", async () => {
  await using mixture = await openMixture({
    paths,
    weights: [1, 2, 3],
    stop: 48,
    datasets: { numSplits, epoch: 5 },
  });
  await readSome(mixture, 20);
  const state = throughJson(mixture.stateDict());
  const rest = await readIds(mixture);
  const datasets = await Promise.all(
    paths.map((path, at) => StreamingDataset.open(path, { state: known(state.mixture?.datasets[at]) })),
  );
  await using resumed = await mix(
    datasets.map((dataset, at) => ({ dataset, weight: at + 1 })),
    { stop: 48, state },
  );
  expect(await readIds(resumed)).toEqual(rest);
  for (const dataset of datasets) await dataset.close();
});

/** The samples of each table, in order. */
function byTable(ids: readonly number[]): number[][] {
  return paths.map((_, at) => ids.filter((id) => tableOf(id) === at));
}

/** The samples of each table and split. */
function bySplit(ids: readonly number[]): number[][] {
  return range(0, numSplits).flatMap((split) =>
    byTable(ids.filter((_, place) => place % numSplits === split)),
  );
}

describe("weights that change at a resume", () => {
  const stop = 120;

  /** Reads with a series of weights, a number of samples each, over any ranks. */
  async function series(
    steps: readonly (readonly [weights: readonly number[], samples: number, worldSize: number])[],
  ) {
    let state: StateDict | undefined;
    const all: number[][] = [];
    for (const [weights, samples, worldSize] of steps) {
      const ranks = await openRanks(worldSize, { weights, stop, ...(state && { state }) });
      const parts = await Promise.all(
        ranks.map((mixture) => readBatches(mixture, 1).then((batches) => batches.flat())),
      );
      for (const mixture of ranks) mixture.setEpoch(0);
      if (state) for (const mixture of ranks) mixture.loadStateDict(state);
      const done = await run(
        ranks,
        ranks.map(() => samples / worldSize),
      );
      state = done.state;
      // Back into the order of one rank: cycles of blocks.
      const block = numSplits / worldSize;
      const cycles = range(0, samples / numSplits);
      all.push(
        cycles.flatMap((cycle) => parts.flatMap((part) => part.slice(cycle * block, (cycle + 1) * block))),
      );
      expect(sorted(done.ids)).toEqual(sorted(all.at(-1) ?? []));
      await closeAll(ranks);
    }
    return all;
  }

  test("lose and repeat no row of any dataset, on any ranks", async () => {
    const changed = await series([
      [[1, 1, 1], 40, 1],
      [[0, 5, 1], 28, 2],
      [[6, 1, 2], 32, 4],
    ]);
    const ids = changed.flat();
    // The same datasets under one set of weights, long enough to give as many of each: every split gives its samples in one order, whatever the weights.
    const [long] = (await openRanks(1, { weights: [1, 1, 1], stop: 1200 })) as [Mixture];
    const whole = bySplit(await readIds(long));
    for (const [at, own] of bySplit(ids).entries())
      expect(own).toEqual(known(whole[at]).slice(0, own.length));
    expect(byTable(changed[1] ?? [])[0]).toEqual([]);
    await long.close();
  });

  test("keep the epoch's end, and the epochs that follow", async () => {
    const [first] = (await openRanks(1, { weights: [1, 1, 1], stop })) as [Mixture];
    await readSome(first, 40);
    const state = throughJson(first.stateDict());
    await first.close();
    const [mixture] = (await openRanks(1, { weights: [0, 0, 1], stop, state })) as [Mixture];
    const rest = await readIds(mixture);
    expect(rest).toHaveLength(stop - 40);
    expect(rest.every((id) => tableOf(id) === 2)).toBe(true);
    expect(mixture.epoch).toBe(1);
    const next = await readIds(mixture);
    expect(next).toHaveLength(stop);
    mixture.setEpoch(0);
    expect(await readIds(mixture)).toEqual(rest);
    await mixture.close();
  });

  test("need a state of a whole global step", async () => {
    const [first] = (await openRanks(1, { weights: [1, 1, 1], stop })) as [Mixture];
    await readSome(first, 6);
    const state = throughJson(first.stateDict());
    await first.close();
    await expect(openRanks(1, { weights: [1, 2, 1], stop, state })).rejects.toMatchObject({
      code: "STATE_MISMATCH",
      message: expect.stringContaining("whole global step"),
    });
  });
});

test("a mixture tells how far each of its datasets is", async () => {
  await using mixture = await openMixture({ paths, weights: [1, 1, 2], stop: 80, datasets: { numSplits } });
  expect(mixture.datasets).toEqual([
    { share: 0.25, samples: 0, epoch: 0 },
    { share: 0.25, samples: 0, epoch: 0 },
    { share: 0.5, samples: 0, epoch: 0 },
  ]);
  const ids = await readSome(mixture, 60);
  expect(mixture.datasets.map(({ samples }) => samples)).toEqual(byTable(ids).map((own) => own.length));
  const passed = bySplit(ids).filter((_, at) => at % paths.length === 0);
  const least = Math.min(...passed.map((own) => own.length));
  // A split of the first table has 2 rows.
  expect(least).toBeGreaterThan(2);
  expect(mixture.datasets[0]?.epoch).toBe(Math.floor(least / 2));
});
