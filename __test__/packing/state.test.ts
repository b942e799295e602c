import { beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { throughJson } from "../support/states.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { readBlocks } from "./support/blocks.ts";
import { numberedDocuments, writeDocuments } from "./support/documents.ts";

const folder = tempFolder();
const options: StreamingDatasetOptions = {
  packSequences: 4,
  eosId: 0,
  padId: 7,
  blocksPerEpoch: 16,
  numSplits: 4,
};
let path: string;
let state: StateDict;

beforeAll(async () => {
  path = await writeDocuments(folder, "corpus", numberedDocuments([3, 6, 2, 5, 8, 1, 4, 4, 9, 2, 1, 12]));
  state = await stateAfter(options, 8);
});

async function stateAfter(opened: StreamingDatasetOptions, blocks: number): Promise<StateDict> {
  await using dataset = await StreamingDataset.open(path, opened);
  await readBlocks(dataset, blocks, blocks);
  return throughJson(dataset.stateDict());
}

test("a state has the keys of LanceDB's Python loader", () => {
  expect(state).toMatchObject({
    num_splits: 4,
    epoch: 0,
    pack_sequences: 4,
    eos_id: 0,
    pad_id: 7,
    blocks_per_epoch: 16,
    blocks_emitted_per_split: [2, 2, 2, 2],
  });
  expect(Object.keys(state.pack_buffers ?? {})).toEqual(["0", "1", "2", "3"]);
});

describe("a state of another packing is refused, naming the field and both values:", () => {
  test.each<[string, object, ...string[]]>([
    ["pack_sequences", { packSequences: 8 }, "is 4", "is 8"],
    ["eos_id", { eosId: 1 }, '"0"', '"1"'],
    ["pad_id", { padId: 1 }, '"7"', '"1"'],
    ["blocks_per_epoch", { blocksPerEpoch: 20 }, "is 16", "is 20"],
    ["packing", { packing: "bestFit" }, "concat", "best_fit"],
  ])("%s", async (field, changes, ...parts) => {
    await using dataset = await StreamingDataset.open(path, { ...options, ...changes });
    const before = dataset.stateDict();
    await failure(() => dataset.loadStateDict(state), "STATE_MISMATCH", field, ...parts);
    expect(dataset.stateDict()).toEqual(before);
  });

  test("none at all, and none here", async () => {
    await using plain = await StreamingDataset.open(path, { numSplits: 4 });
    await using packed = await StreamingDataset.open(path, options);
    await failure(() => plain.loadStateDict(state), "STATE_MISMATCH", "pack_sequences is 4", '"absent"');
    const rows = plain.stateDict();
    await failure(() => packed.loadStateDict(rows), "STATE_MISMATCH", 'pack_sequences is "absent"');
    await failure(() => StreamingDataset.mergeStateDicts([state, rows]), "STATE_MISMATCH", "pack_sequences");
  });
});

describe("a broken state is refused and changes nothing:", () => {
  test.each<[string, object, ...string[]]>([
    [
      "more documents than a split has",
      { samples_consumed_per_split: [9, 1, 1, 1], positions_consumed_per_split: undefined },
      "samples_consumed_per_split[0] is 9",
    ],
    [
      "more blocks than the budget",
      { blocks_emitted_per_split: [5, 5, 5, 5] },
      "blocks_emitted_per_split[0] is 5",
    ],
    ["negative blocks", { blocks_emitted_per_split: [-1, 2, 2, 2] }, "blocks_emitted_per_split[0] is -1"],
    ["blocks that are no list", { blocks_emitted_per_split: "2" }, "can't be read"],
    ["no buffers", { pack_buffers: undefined }, "pack_buffers"],
    ["a buffer that ends without eos", { pack_buffers: { 0: { tokens: [1], starts: [] } } }, "eos_id"],
    ["a budget that is no number", { blocks_per_epoch: "16" }, 'blocks_per_epoch is "16"'],
  ])("%s", async (_, changes, ...parts) => {
    await using dataset = await StreamingDataset.open(path, options);
    const before = dataset.stateDict();
    await failure(
      () => dataset.loadStateDict({ ...state, ...changes } as StateDict),
      "STATE_INVALID",
      ...parts,
    );
    expect(dataset.stateDict()).toEqual(before);
    dataset.loadStateDict(state);
  });
});

test("a state in the middle of a cycle is refused, and says when there is one", async () => {
  await using dataset = await StreamingDataset.open(path, options);
  await readBlocks(dataset, 3, 3);
  await failure(() => dataset.stateDict(), "STATE_INVALID", "3 of the 4 blocks", "multiple of 4");
  await readBlocks(dataset, 1, 1);
  expect(dataset.stateDict().blocks_emitted_per_split).toEqual([1, 1, 1, 1]);
});

test("one rank's own state is refused on another rank, and states of different steps do not merge", async () => {
  const rank = (number: number) => ({ ...options, worldSize: 2, rank: number });
  const [first, second, late] = [
    await stateAfter(rank(0), 2),
    await stateAfter(rank(1), 2),
    await stateAfter(rank(1), 4),
  ];
  await using other = await StreamingDataset.open(path, rank(1));
  await failure(() => other.loadStateDict(first), "STATE_MISMATCH", "merge the states of all ranks");
  await failure(() => StreamingDataset.mergeStateDicts([first, late]), "STATE_MISMATCH", "same global step");
  other.loadStateDict(StreamingDataset.mergeStateDicts([first, second]));
  expect(other.stateDict().blocks_emitted_per_split).toEqual([1, 1, 1, 1]);
});

test("an estimated budget is the same in every epoch and on every rank, and a state's is adopted", async () => {
  const auto = { ...options, blocksPerEpoch: "auto" } as const;
  const estimates = await Promise.all(
    [{}, { epoch: 5 }, { worldSize: 2, rank: 1 }, { worldSize: 4, rank: 2 }].map(async (changes) => {
      await using dataset = await StreamingDataset.open(path, { ...auto, ...changes });
      return dataset.stateDict().blocks_per_epoch;
    }),
  );
  expect(new Set(estimates).size).toBe(1);
  expect(estimates[0]).toBeGreaterThan(0);
  await using dataset = await StreamingDataset.open(path, auto);
  dataset.loadStateDict(state);
  expect(dataset.stateDict()).toEqual(state);
  expect(dataset.numSamples).toBe(16);
  await using opened = await StreamingDataset.open(path, { ...auto, numSplits: undefined as never, state });
  expect(opened.stateDict()).toEqual(state);
});
