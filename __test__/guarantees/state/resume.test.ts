import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";
import { known } from "../../support/known.ts";
import { idOf, idsOf, readIds, readSome, withDataset } from "../../support/reading.ts";
import { saveAtEveryStep, travels } from "../../support/states.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const rows = 64;
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", rows, { fragments: 3 });
});

const setUps: readonly (readonly [string, StreamingDatasetOptions])[] = [
  ["clumps of 1", { shuffleClumpSize: 1 }],
  ["clumps of 4", { shuffleClumpSize: 4 }],
  ["clumps of 16", { shuffleClumpSize: 16 }],
  ["clumps of 5", { shuffleClumpSize: 5 }],
  ["five splits and what is left over", { numSplits: 5, remainder: "keep" }],
  [
    "five splits of which one rank has all, dropping the surplus",
    { numSplits: 5, epoch: 2, shuffleSeed: 2n ** 63n },
  ],
  ["storage order", { shuffle: false, numSplits: 4 }],
  ["a filter", { filter: "id % 3 <> 0", numSplits: 2 }],
  ["takes of a few rows", { fetch: "take", readBatchSize: 3, numSplits: 4 }],
];

describe("a run that is stopped at any sample and resumed is the uninterrupted one, with", () => {
  test.each(setUps)("%s", async (_, options) => {
    const { ids, states } = await withDataset(path, options, saveAtEveryStep);
    expect(ids.length).toBeGreaterThan(40);
    expect(states).toHaveLength(ids.length + 1);
    await using resumed = await StreamingDataset.open(path, options);
    for (const [step, state] of states.entries()) {
      resumed.loadStateDict(state);
      expect(resumed.stateDict()).toEqual(state);
      expect(await readIds(resumed, 7), `step ${step}`).toEqual(ids.slice(step));
    }
  });

  test.each(travels)("states through %s", async (_, travel) => {
    const options = { numSplits: 4, shuffleSeed: 3 };
    const { ids, states } = await withDataset(path, options, saveAtEveryStep);
    for (const step of [0, 5, 33, 64]) {
      const state = travel(known(states[step]));
      const rest = await withDataset(path, { ...options, state }, (dataset) => readIds(dataset));
      expect(rest).toEqual(ids.slice(step));
    }
  });
});

test("a run that is begun anew without its state repeats what it had read", async () => {
  await withDataset(path, {}, async (dataset) => {
    const before = await readSome(dataset, 20);
    await withDataset(path, {}, async (anew) => expect(await readSome(anew, 20)).toEqual(before));
  });
});

test("a resumed run that is stopped again resumes again, at any two samples", async () => {
  const options = { numSplits: 4, shuffleSeed: 1 };
  await using dataset = await StreamingDataset.open(path, options);
  const { ids, states } = await saveAtEveryStep(dataset);
  for (const first of range(0, rows + 1).filter((step) => step % 7 === 0)) {
    dataset.loadStateDict(known(states[first]));
    const second = await saveAtEveryStep(dataset);
    expect(second.ids).toEqual(ids.slice(first));
    expect(second.states).toEqual(states.slice(first));
    const state = known(second.states[Math.floor(second.states.length / 2)]);
    await using elsewhere = await StreamingDataset.open(path, { ...options, state });
    expect(await readIds(elsewhere)).toEqual(ids.slice(first + Math.floor(second.states.length / 2)));
  }
});

test("a state of batches resumes in batches of another size", async () => {
  await using dataset = await StreamingDataset.open(path, { numSplits: 4 });
  const ids = await readIds(dataset);
  for (const batchSize of [1, 5, 16, 63]) {
    dataset.setEpoch(0);
    const before: number[] = [];
    for await (const batch of dataset.batches(batchSize)) {
      before.push(...idsOf(batch));
      await using other = await StreamingDataset.open(path, { state: dataset.stateDict() });
      expect([...before, ...(await readIds(other, 9))]).toEqual(ids);
    }
    dataset.setEpoch(3);
  }
});

test("a state that was saved before the first sample gives everything", async () => {
  await withDataset(path, {}, async (dataset) => {
    const state = dataset.stateDict();
    const ids = await readIds(dataset);
    dataset.loadStateDict(state);
    expect(await readIds(dataset)).toEqual(ids);
  });
});

test("a state behind the last sample, before the end was seen, gives an empty rest and then the next epoch", async () => {
  await withDataset(path, { numSplits: 2 }, async (dataset) => {
    await readSome(dataset, rows);
    const state = dataset.stateDict();
    expect(state).toMatchObject({ epoch: 0, samples_consumed_per_split: [32, 32] });
    await using resumed = await StreamingDataset.open(path, { numSplits: 2, state });
    expect(await readIds(resumed)).toEqual([]);
    expect(resumed.epoch).toBe(1);
    dataset.setEpoch(1);
    expect(await readIds(resumed)).toEqual(await readIds(dataset));
  });
});

test("a state behind the end gives the next epoch", async () => {
  await withDataset(path, { numSplits: 2 }, async (dataset) => {
    await readIds(dataset);
    const state = dataset.stateDict();
    expect(state).toMatchObject({ epoch: 1, samples_consumed_per_split: [0, 0] });
    await using resumed = await StreamingDataset.open(path, { state });
    expect(await readIds(resumed)).toEqual(await readIds(dataset));
  });
});

test("saving moves nothing, at any time and as often as one likes", async () => {
  await withDataset(path, { shuffleSeed: 6 }, async (dataset) => {
    const ids = await readIds(dataset);
    dataset.setEpoch(0);
    const again: number[] = [];
    for await (const sample of dataset) {
      again.push(idOf(sample));
      expect(dataset.stateDict()).toEqual(dataset.stateDict());
    }
    expect(again).toEqual(ids);
  });
});

test("a state is a picture: what is read later does not change it", async () => {
  await withDataset(path, { numSplits: 2 }, async (dataset) => {
    await readSome(dataset, 3);
    const state = dataset.stateDict();
    const text = JSON.stringify(state);
    await readSome(dataset, 10);
    expect(JSON.stringify(state)).toBe(text);
  });
});
