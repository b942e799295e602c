import { connect } from "@lancedb/lancedb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { readIds, readSome, withDataset } from "../../support/reading.ts";
import { idRows, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const options = { numSplits: 4, shuffleSeed: 9, shuffleClumpSize: 2, filter: "id >= 0" } as const;
let path: string;
let dataset: StreamingDataset;
let state: StateDict;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 40);
  dataset = await StreamingDataset.open(path, options);
  await readSome(dataset, 10);
  state = dataset.stateDict();
});

afterAll(() => dataset.close());

/** A load that must fail, and change nothing. */
async function refused(
  changes: object,
  code: "STATE_MISMATCH" | "STATE_INVALID",
  ...parts: string[]
): Promise<void> {
  const before = dataset.stateDict();
  const other = { ...state, ...changes } as StateDict;
  await failure(() => dataset.loadStateDict(other), code, ...parts);
  expect(dataset.stateDict()).toEqual(before);
  await failure(() => StreamingDataset.open(path, { ...options, state: other }), code, ...parts);
}

describe("a state of another run is refused by naming the field and both values:", () => {
  const foreign = { samples_consumed_per_split: 0, positions_consumed_per_split: [0, 0] };
  const cases: [field: keyof StateDict, changes: object, theirs: string, ours: string][] = [
    ["num_splits", { ...foreign, num_splits: 2, owned_splits: undefined }, "2", "4"],
    ["shuffle_seed", { shuffle_seed: 10 }, "10", "9"],
    ["shuffle_seed", { shuffle_seed: "18446744073709551615" }, "18446744073709551615", "9"],
    ["shuffle", { shuffle: false }, "false", "true"],
    ["shuffle_clump_size", { shuffle_clump_size: 3 }, "3", "2"],
    ["remainder", { remainder: "keep" }, '"keep"', '"drop"'],
    ["filter", { filter: "id >= 1" }, '"id >= 1"', '"id >= 0"'],
    ["filter", { filter: null }, "null", '"id >= 0"'],
    ["table_identity", { table_identity: "0123456789abcdef" }, "0123456789abcdef", "another table"],
    ["table_identity", { table_identity: 7 }, "7", "another table"],
    ["order_version", { order_version: 2 }, "2", "1"],
  ];
  test.each(cases)("%s, with %o", async (field, changes, theirs, ours) => {
    await refused(changes, "STATE_MISMATCH", field, theirs, ours);
  });

  test("table_version, with the way out", async () => {
    const grown = await writeIds(folder, "grown", 20);
    const old = await withDataset(grown, {}, (opened) => opened.stateDict());
    await (await (await connect(folder)).openTable("grown")).add(idRows(20, 30));
    await withDataset(grown, {}, async (opened) => {
      const load = () => opened.loadStateDict(old);
      await failure(load, "STATE_MISMATCH", "table_version", "is 1", "is 2", "`state`", "`version`");
    });
    await withDataset(grown, { state: old }, async (opened) => {
      expect([opened.version, opened.numSamples]).toEqual([1, 20]);
    });
    const both = () => StreamingDataset.open(grown, { state: old, version: 2 });
    await failure(both, "STATE_MISMATCH", "table_version", "is 1", "is 2");
  });

  test("table_branch, with the way out", async () => {
    const load = () => dataset.loadStateDict({ ...state, table_branch: "trial" });
    await failure(load, "STATE_MISMATCH", "table_branch", '"trial"', "null", "`state`");
  });
});

describe("what is no state is refused by naming the field and its value:", () => {
  test.each([null, undefined, 3, "state", [], [1], () => state])("%o", async (value) => {
    await failure(() => dataset.loadStateDict(value as never), "STATE_INVALID", "stateDict()");
  });

  const cases: [field: string, value: unknown][] = [
    ...[undefined, null, -1, 0.5, Number.NaN, "4", 0, 2 ** 40].map((value): [string, unknown] => [
      "num_splits",
      value,
    ]),
    ...[undefined, -1, 1.5, 2 ** 53, "", "-1", "1e3", "0x10", "18446744073709551616", true].map(
      (value): [string, unknown] => ["shuffle_seed", value],
    ),
    ...[undefined, -1, 0.5, "0", Number.NaN].map((value): [string, unknown] => ["epoch", value]),
    ...[
      undefined,
      "3",
      -1,
      0.5,
      [1, 2, 3],
      [1, 2, 3, 4, 5],
      [1, 1, 1, -1],
      [1, 1, 1, 0.5],
      [1, 1, 1, "1"],
    ].map((value): [string, unknown] => ["samples_consumed_per_split", value]),
    ...["3", 1.5, [3, 3, 2], [3, 3, 2, -2], [2, 3, 2, 2], null].map((value): [string, unknown] => [
      "positions_consumed_per_split",
      value,
    ]),
    ...[2, 0.5, "1", -1, null].map((value): [string, unknown] => ["format", value]),
    ...[[], [0], [0, 5], [2, 2], [3, 1], [-1, 4], "all", null].map((value): [string, unknown] => [
      "owned_splits",
      value,
    ]),
    ["table_version", "1"],
    ["table_version", 0],
    ["table_branch", 5],
  ];
  test.each(cases)("%s = %o", async (field, value) => {
    await refused({ [field]: value }, "STATE_INVALID", field);
  });

  test("progress beyond a split", async () => {
    const beyond = { samples_consumed_per_split: [3, 3, 11, 2], positions_consumed_per_split: undefined };
    await refused(beyond, "STATE_INVALID", "11", "10");
    await refused({ ...beyond, samples_consumed_per_split: 2 ** 53 - 1 }, "STATE_INVALID");
  });
});

test("a state is no longer taken while an iterator is open, nor are setEpoch and reset", async () => {
  const before = dataset.stateDict();
  const iterator = dataset.batches(3);
  await iterator.next();
  const during = dataset.stateDict();
  for (const work of [
    () => dataset.loadStateDict(before),
    () => dataset.setEpoch(0),
    () => dataset.setEpoch(7),
    () => dataset.reset(),
  ])
    await failure(work, "ITERATOR_OPEN", "return()");
  expect(dataset.stateDict()).toEqual(during);
  await iterator.return();
  dataset.loadStateDict(before);
  expect(dataset.stateDict()).toEqual(before);
});

test("what does not change the order may differ", async () => {
  const rest = await withDataset(path, { ...options, state }, (opened) => readIds(opened));
  const others = [
    { readBatchSize: 3, ioQueueDepth: 1 },
    { fetch: "take", lendBuffers: false },
    { memoryBudget: 1 << 20 },
    { columns: ["id"] },
  ] as const;
  for (const other of others) {
    await withDataset(path, { ...options, ...other, state }, async (opened) => {
      expect(await readIds(opened, 5)).toEqual(rest);
    });
  }
});
