import { beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { withDataset } from "../support/reading.ts";
import { throughJson } from "../support/states.ts";
import { range } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type Block, readBlocks } from "./support/blocks.ts";
import { numberedDocuments, writeDocuments } from "./support/documents.ts";

const folder = tempFolder();
const numSplits = 4;
const cycles = 9;
/** All that divide the splits. */
const worldSizes = [1, 2, 4];
/** Short and long documents, some longer than a block, and one split's worth of empty ones. */
const lengths = [3, 6, 2, 5, 0, 13, 1, 4, 30, 2, 2, 7, 0, 9, 3, 3, 11, 1, 5, 8, 2, 6, 4, 17];
let path: string;

beforeAll(async () => {
  path = await writeDocuments(folder, "corpus", numberedDocuments(lengths));
});

const base: StreamingDatasetOptions = {
  packSequences: 5,
  eosId: 1,
  padId: 1,
  blocksPerEpoch: cycles * numSplits,
  numSplits,
  shuffleSeed: 11,
};
const modes: readonly (readonly [string, StreamingDatasetOptions])[] = [
  ["documents joined", base],
  ["takes of a row at a time", { ...base, fetch: "take", readBatchSize: 1, ioQueueDepth: 1 }],
  ["storage order", { ...base, shuffle: false }],
  [
    "documents whole, long ones split",
    { ...base, packSequences: 14, packing: "bestFit", lookAhead: 2, longDocuments: "split" },
  ],
  [
    "documents whole, long ones dropped",
    { ...base, packSequences: 10, packing: "bestFit", lookAhead: 3, longDocuments: "drop" },
  ],
];

/** Reads `blocks` more blocks of each rank of a run that stands at a state, and says where it stands then. */
async function run(
  options: StreamingDatasetOptions,
  worldSize: number,
  state: StateDict | undefined,
  cycleCount: number,
): Promise<{ byRank: Block[][]; merged: StateDict }> {
  const own = numSplits / worldSize;
  const ranks = await Promise.all(
    range(0, worldSize).map((rank) =>
      withDataset(path, { ...options, worldSize, rank }, async (dataset) => {
        if (state) dataset.loadStateDict(state);
        const blocks = await readBlocks(dataset, own, own * cycleCount);
        return { blocks, state: throughJson(dataset.stateDict()) };
      }),
    ),
  );
  const merged = throughJson(StreamingDataset.mergeStateDicts(ranks.map((rank) => rank.state)));
  return { byRank: ranks.map(({ blocks }) => blocks), merged };
}

/** The blocks of all ranks in the order of one rank with all splits. */
function inCycles(byRank: readonly (readonly Block[])[]): Block[] {
  const own = numSplits / byRank.length;
  const steps = (byRank[0]?.length ?? 0) / own;
  return range(0, steps).flatMap((step) =>
    byRank.flatMap((blocks) => blocks.slice(step * own, (step + 1) * own)),
  );
}

describe("a run that is saved after any cycle and resumed is the uninterrupted one, with", () => {
  test.each(modes)("%s, on every pair of world sizes", async (_, options) => {
    const whole = await withDataset(path, options, (dataset) => readBlocks(dataset, numSplits));
    expect(whole).toHaveLength(cycles * numSplits);
    for (const [before, stop] of worldSizes.flatMap((size) =>
      range(0, cycles + 1).map((stop) => [size, stop] as const),
    )) {
      const first = await run(options, before, undefined, stop);
      for (const after of worldSizes) {
        const second = await run(options, after, first.merged, cycles - stop);
        const label = `${before} to ${after} ranks after ${stop} cycles`;
        expect([...inCycles(first.byRank), ...inCycles(second.byRank)], label).toEqual(whole);
      }
    }
  });

  test("a rank's own state, on the same rank", async () => {
    const options = { ...base, worldSize: 2, rank: 1 };
    const whole = await withDataset(path, options, (dataset) => readBlocks(dataset, 2));
    for (const stop of range(0, cycles)) {
      await using dataset = await StreamingDataset.open(path, options);
      const first = await readBlocks(dataset, 2, 2 * stop);
      await using resumed = await StreamingDataset.open(path, {
        ...options,
        state: throughJson(dataset.stateDict()),
      });
      expect(resumed.stateDict()).toEqual(dataset.stateDict());
      expect([...first, ...(await readBlocks(resumed, 2))]).toEqual(whole);
    }
  });
});

test("a loop that is left in the middle of a cycle goes on where it was left", async () => {
  const whole = await withDataset(path, base, (dataset) => readBlocks(dataset, numSplits));
  await using dataset = await StreamingDataset.open(path, base);
  const read: Block[] = [];
  for (const count of [1, 2, 4, 3, 5]) {
    for await (const { inputIds, docIds } of dataset) {
      read.push({
        inputIds: [...(inputIds as Int32Array)],
        docIds: [...(docIds as Int32Array)],
      });
      if (read.length % count === 0) break;
    }
  }
  expect([...read, ...(await readBlocks(dataset, 3))]).toEqual(whole);
});

test("a loop over samples can be saved at every whole cycle while it runs", async () => {
  const whole = await withDataset(path, base, (dataset) => readBlocks(dataset, numSplits));
  await using dataset = await StreamingDataset.open(path, base);
  await using other = await StreamingDataset.open(path, base);
  let handed = 0;
  for await (const _ of dataset) {
    handed++;
    if (handed % numSplits !== 0) continue;
    other.loadStateDict(throughJson(dataset.stateDict()));
    expect(await readBlocks(other, 7)).toEqual(whole.slice(handed));
  }
  expect(handed).toBe(whole.length);
});

test("what was read ahead is not in a state", async () => {
  await using dataset = await StreamingDataset.open(path, base);
  const iterator = dataset.batches(numSplits);
  await iterator.next();
  const early = dataset.stateDict();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(dataset.stateDict()).toEqual(early);
  await iterator.return();
  expect(dataset.stateDict()).toEqual(early);
});

test("the epoch after one that was resumed is that of an uninterrupted run", async () => {
  const [, second] = await withDataset(path, base, async (dataset) => [
    await readBlocks(dataset, 4),
    await readBlocks(dataset, 4),
  ]);
  await using dataset = await StreamingDataset.open(path, base);
  await readBlocks(dataset, 4, 8);
  await using resumed = await StreamingDataset.open(path, { ...base, state: dataset.stateDict() });
  await readBlocks(resumed, 4);
  expect(resumed.epoch).toBe(1);
  expect(await readBlocks(resumed, 4)).toEqual(second);
});

test("a resume from the wrong cycle is told apart (control)", async () => {
  const whole = await withDataset(path, base, (dataset) => readBlocks(dataset, numSplits));
  const { merged } = await run(base, 1, undefined, 2);
  await using resumed = await StreamingDataset.open(path, { ...base, state: merged });
  expect(await readBlocks(resumed, numSplits)).not.toEqual(whole.slice(3 * numSplits));
});
