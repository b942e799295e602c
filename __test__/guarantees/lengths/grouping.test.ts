import { Field, Int32, List, Table, Utf8, vectorFromArray } from "apache-arrow";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Batch,
  StreamingDataLoader,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "../../../src/index.ts";
import { loadBinding } from "../../../src/native.ts";
import { failure } from "../../support/errors.ts";
import { goldenCases } from "../../support/golden.ts";
import { collect, idsOf, sorted } from "../../support/reading.ts";
import { throughJson } from "../../support/states.ts";
import { range, tablePath, writeTable } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

interface GroupCase {
  readonly seed: string;
  readonly epoch: number;
  readonly block: number;
  readonly splits: number;
  readonly levels_of_step: number;
  readonly lengths: readonly number[];
  readonly order: readonly number[];
}

const folder = tempFolder();
const numSplits = 4;
const groupByLength = { column: "tokens", lookAhead: 5 };
let path: string;

/** The length of a row's list. */
const lengthOf = (id: number) => (id * 37) % 50;

beforeAll(async () => {
  const ids = range(0, 211);
  const table = new Table({
    id: vectorFromArray(ids, new Int32()),
    tokens: vectorFromArray(
      ids.map((id) => range(0, lengthOf(id)).map(() => id)),
      new List(new Field("item", new Int32())),
    ),
    text: vectorFromArray(
      ids.map((id) => "x".repeat(lengthOf(id))),
      new Utf8(),
    ),
  });
  await writeTable(folder, "lengths", [table]);
  path = tablePath(folder, "lengths");
});

function open(options: StreamingDatasetOptions = {}): Promise<StreamingDataset> {
  return StreamingDataset.open(path, { numSplits, shuffleSeed: 3, ...options });
}

function batchesOf(dataset: StreamingDataset, batchSize: number, more: object = {}): Promise<number[][]> {
  const loader = new StreamingDataLoader(dataset, { batchSize, groupByLength, collate: checkedIds, ...more });
  return collect(loader);
}

/** The ids of a batch, whose other columns must be those of the same rows. */
function checkedIds(batch: Batch): number[] {
  for (const row of batch.rows()) {
    const id = Number(row["id"]);
    expect(Array.from(row["tokens"] as Iterable<number>)).toEqual(range(0, lengthOf(id)).map(() => id));
    expect(row["text"]).toBe("x".repeat(lengthOf(id)));
  }
  return idsOf(batch);
}

function spread(batches: readonly number[][]): number {
  const spreads = batches.map((ids) => {
    const lengths = ids.map(lengthOf);
    return Math.max(...lengths) - Math.min(...lengths);
  });
  return spreads.reduce((sum, one) => sum + one, 0) / spreads.length;
}

test("grouped batches have rows of like length, every row once, block by block", async () => {
  await using dataset = await open();
  const batches = await batchesOf(dataset, 12);
  dataset.setEpoch(0);
  const plain = await collect(dataset.batches(12, { collate: idsOf }));
  expect(batches.map((ids) => ids.length)).toEqual(plain.map((ids) => ids.length));
  for (const block of range(0, 4)) {
    const rows = (all: number[][]) => sorted(all.slice(block * 5, (block + 1) * 5).flat());
    expect(rows(batches)).toEqual(rows(plain));
  }
  expect(batches.at(-1)).toEqual(plain.at(-1));
  expect(spread(batches.slice(0, -1)) * 2).toBeLessThan(spread(plain.slice(0, -1)));
});

describe("a global step of grouped batches is the same", () => {
  test.each([2, 4])("on %i ranks", async (worldSize) => {
    const alone = await open();
    const expected = (await batchesOf(alone, 16)).map(sorted);
    await alone.close();
    const ranks: number[][][] = [];
    for (const rank of range(0, worldSize)) {
      await using dataset = await open({ worldSize, rank });
      ranks.push(await batchesOf(dataset, 16 / worldSize));
    }
    expect(expected.map((_, step) => sorted(ranks.flatMap((batches) => batches[step] ?? [])))).toEqual(
      expected,
    );
  });
});

test("a run that is stopped after any batch goes on with exactly the rest, on other ranks, too", async () => {
  await using dataset = await open();
  const whole = await batchesOf(dataset, 16);
  for (const count of range(0, whole.length + 1)) {
    dataset.setEpoch(0);
    dataset.reset();
    const had: number[][] = [];
    const loader = new StreamingDataLoader(dataset, {
      batchSize: 16,
      groupByLength,
      collate: checkedIds,
      prefetch: 3,
    });
    if (count > 0) {
      for await (const ids of loader) if (had.push(ids) === count) break;
    }
    expect(had).toEqual(whole.slice(0, count));
    expect(dataset.epoch).toBe(0);
    const state = throughJson(dataset.stateDict());
    if (count > 0 && count < whole.length) expect(state.length_groups !== undefined).toBe(count % 5 !== 0);
    await using resumed = await open({ state });
    expect(resumed.stateDict()).toEqual(state);
    expect(await batchesOf(resumed, 16)).toEqual(whole.slice(count));
    const ranks: number[][] = [];
    for (const rank of [0, 1]) {
      await using half = await open({ worldSize: 2, rank, state });
      ranks.push((await batchesOf(half, 8)).flat());
    }
    expect(sorted(ranks.flat())).toEqual(sorted(whole.slice(count).flat()));
  }
});

test("inside of a look-ahead no other reading goes on", async () => {
  await using dataset = await open();
  for await (const _ of dataset.batches(16, { groupByLength })) break;
  const mismatch = (work: () => Promise<unknown>, ...words: string[]) =>
    failure(work, "STATE_MISMATCH", ...words);
  await mismatch(() => collect(dataset), "without groups");
  await mismatch(() => collect(dataset.batches(16)), "look-ahead");
  await mismatch(
    () => collect(dataset.batches(16, { groupByLength: { column: "text", lookAhead: 5 } })),
    "text",
  );
  await mismatch(() => collect(dataset.batches(8, { groupByLength })), "levels_of_step");
  const state = dataset.stateDict();
  await using other = await open();
  const start = other.stateDict();
  await failure(() => StreamingDataset.mergeStateDicts([state, start]), "STATE_MISMATCH", "length_groups");
  await failure(
    () => other.loadStateDict({ ...state, length_groups: { version: 1 } as never }),
    "STATE_INVALID",
    "length_groups",
  );
  other.loadStateDict(state);
  other.loadStateDict(start);
  expect(await collect(other)).toHaveLength(208);
  // Inside of a batch, grouping can't begin.
  for await (const _ of other) break;
  await mismatch(() => collect(other.batches(16, { groupByLength })), "inside of a batch");
});

test("wrong groups are refused", async () => {
  await using dataset = await open();
  const refused = (
    groups: object,
    code: "INVALID_ARGUMENT" | "UNKNOWN_COLUMN" | "UNSUPPORTED_TYPE",
    ...words: string[]
  ) => failure(() => dataset.batches(16, { groupByLength: groups as never }), code, ...words);
  await refused({ column: "none", lookAhead: 2 }, "UNKNOWN_COLUMN", "none");
  await refused({ column: "id", lookAhead: 2 }, "UNSUPPORTED_TYPE", "Int32");
  await refused({ column: "text", lookAhead: 1 }, "INVALID_ARGUMENT", "groupByLength.lookAhead");
  await refused({ column: "text" }, "INVALID_ARGUMENT", "groupByLength.lookAhead");
  await failure(
    () => dataset.batches(10, { groupByLength }),
    "INVALID_ARGUMENT",
    "batchSize is 10",
    "multiple of 4",
  );
  await using skipping = await open({ skipSteps: { batchSize: 16, steps: [1] } });
  await failure(() => skipping.batches(16, { groupByLength }), "INVALID_ARGUMENT", "skipSteps");
  await using transformed = await open({ transform: (batch) => batch });
  await failure(() => transformed.batches(16, { groupByLength }), "INVALID_ARGUMENT", "a transform");
});

test("groups are those of the golden vectors", () => {
  const cases = goldenCases<GroupCase>("length-groups");
  expect(cases.length).toBeGreaterThan(20);
  for (const { seed, epoch, block, splits, levels_of_step, lengths, order } of cases) {
    const options = { seed: BigInt(seed), epoch, block, splits, levelsOfStep: levels_of_step };
    expect(Array.from(loadBinding().groupByLength([...lengths], options))).toEqual(order);
  }
});
