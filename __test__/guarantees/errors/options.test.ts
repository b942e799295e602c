import { describe, expect, test } from "vitest";
import {
  LanceLoaderError,
  StreamingDataLoader,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const path = await writeIds(folder, "ids", 48);
const noSize = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "4", 4n, true, {}];

function open(options: object): Promise<StreamingDataset> {
  return StreamingDataset.open(path, options as StreamingDatasetOptions);
}

describe("a size that is no size is refused by naming the option and the value:", () => {
  const sizes = [
    "numSplits",
    "worldSize",
    "shuffleClumpSize",
    "readBatchSize",
    "ioQueueDepth",
    "memoryBudget",
    "version",
  ];
  const cases = sizes.flatMap((option) => noSize.map((value) => [option, value] as const));
  test.each(cases)("%s of %o", async (option, value) => {
    await failure(() => open({ [option]: value }), "INVALID_ARGUMENT", option, shown(value), "whole number");
  });

  test.each(noSize)("a batch size of %o", async (value) => {
    await using dataset = await open({});
    const batchSize = value as number;
    for (const use of [
      () => dataset.batches(batchSize),
      () => dataset.numBatches(batchSize),
      () => new StreamingDataLoader(dataset, { batchSize }),
    ])
      await failure(use, "INVALID_ARGUMENT", "batchSize", shown(value));
  });

  test.each([
    { numSplits: 2 ** 24 + 1 },
    { worldSize: 2 ** 25 },
    { ioQueueDepth: 1025 },
    { readBatchSize: 2 ** 31 + 1 },
  ])("%o, which is too large", async (options) => {
    const [[option, value] = []] = Object.entries(options);
    await failure(() => open(options), "INVALID_ARGUMENT", String(option), String(value));
  });

  test("the largest sizes work or say why not", async () => {
    await failure(() => open({ numSplits: 2 ** 24 }), "TOO_FEW_ROWS", "48 rows", "16777216 splits");
    const order = await epochIds(path, {});
    const largest = { readBatchSize: 2 ** 31, ioQueueDepth: 1024, memoryBudget: Number.MAX_SAFE_INTEGER };
    expect(await epochIds(path, largest, 2 ** 31)).toEqual(order);
  });
});

describe("an option of another kind is refused:", () => {
  const cases: [option: string, values: unknown[]][] = [
    ["shuffle", [0, 1, "true", null]],
    ["shuffleSeed", [-1, 0.5, Number.NaN, 2 ** 53, -1n, 2n ** 64n, "7", true]],
    ["epoch", [-1, 0.5, Number.NaN, 2 ** 53, "1"]],
    ["remainder", ["skip", true, 1]],
    ["rank", [-1, 1, 0.5, "0"]],
    [
      "worker",
      [null, 5, {}, { id: 1, numWorkers: 1 }, { id: 0 }, { id: -1, numWorkers: 2 }, { id: 0, numWorkers: 0 }],
    ],
    ["columns", ["id", [5], {}, [null]]],
    ["filter", ["", 5, {}]],
    ["branch", ["", 5]],
    ["fetch", ["scan", 1, true]],
    ["scratchDir", ["", 5]],
    ["scratchBytes", [-1, 0.5, "1"]],
    ["cacheDir", ["", 5]],
    ["cacheBytes", [0, -1, 0.5, "1", 5]],
    ["blobs", ["files", 1]],
    ["lendBuffers", [1, "yes"]],
    ["signal", [{}, "abort", 5]],
    ["storageOptions", ["key", 5, { key: 5 }]],
    ["state", [5, "state", []]],
  ];
  test.each(cases)("%s", async (option, values) => {
    for (const value of values) {
      const error = await open({ [option]: value }).catch((thrown: unknown) => thrown);
      expect(error, shown(value)).toBeInstanceOf(LanceLoaderError);
      expect(["INVALID_ARGUMENT", "STATE_INVALID"]).toContain((error as LanceLoaderError).code);
      expect((error as Error).message).toContain(option);
    }
  });

  test.each([null, 5, "options", [], true])("the options themselves, of %o", async (options) => {
    await failure(() => open(options as never), "INVALID_ARGUMENT", "options");
  });
});

describe("an option that does not exist is refused by naming those that do:", () => {
  test("of a dataset", async () => {
    await failure(() => open({ shufle: true }), "INVALID_ARGUMENT", '"shufle"', "shuffle", "numSplits");
  });

  test("of a worker", async () => {
    const worker = { id: 0, numWorkers: 1, name: "w" };
    await failure(() => open({ worker }), "INVALID_ARGUMENT", "worker", '"name"', "id, numWorkers");
  });

  test("of batches and of a loader", async () => {
    await using dataset = await open({});
    const options = { droplast: true } as object;
    await failure(() => dataset.batches(4, options), "INVALID_ARGUMENT", '"droplast"', "dropLast");
    await failure(
      () => new StreamingDataLoader(dataset, options),
      "INVALID_ARGUMENT",
      '"droplast"',
      "batchSize",
    );
    await failure(
      () => dataset.batches(4, { dropLast: 1 } as never),
      "INVALID_ARGUMENT",
      "dropLast",
      "true or false",
    );
  });
});

describe("ranks and splits that do not fit are refused:", () => {
  test("a rank outside the world", async () => {
    await failure(() => open({ worldSize: 4, rank: 4 }), "INVALID_ARGUMENT", "rank is 4", "from 0 to 3");
    await failure(() => open({ rank: 1 }), "INVALID_ARGUMENT", "rank is 1", "from 0 to 0");
  });

  test("a worker outside its rank", async () => {
    const worker = { id: 2, numWorkers: 2 };
    await failure(() => open({ numSplits: 2, worker }), "INVALID_ARGUMENT", "worker.id is 2", "from 0 to 1");
  });

  test("splits that the ranks can't share", async () => {
    await failure(() => open({ numSplits: 5, worldSize: 2 }), "INVALID_ARGUMENT", "numSplits", "5", "2");
  });

  test("splits that the ranks' workers can't share", async () => {
    const worker = { id: 0, numWorkers: 3 };
    await failure(
      () => open({ numSplits: 4, worldSize: 2, worker }),
      "INVALID_ARGUMENT",
      "numSplits is 4",
      "worker.numWorkers (6)",
    );
  });

  test("fewer rows than splits, at once", async () => {
    const few = await writeIds(folder, "few", 2);
    const many = () => StreamingDataset.open(few, { numSplits: 64 });
    await failure(many, "TOO_FEW_ROWS", "2 rows", "64 splits", "numSplits");
  });

  test("a random seed on each of several ranks", async () => {
    const apart = () => open({ shuffleSeed: null, worldSize: 2 });
    await failure(apart, "INVALID_ARGUMENT", "shuffleSeed", "worldSize 2", "differently");
  });
});

test("three rows in one split come once each, however many reads may run", async () => {
  const few = await writeIds(folder, "three", 3);
  const ids = await epochIds(few, { numSplits: 1, ioQueueDepth: 8, readBatchSize: 1, fetch: "take" }, 1);
  expect(ids.toSorted()).toEqual([0, 1, 2]);
});

describe("the old name of ioQueueDepth", () => {
  test("is taken", async () => {
    expect(await epochIds(path, { prefetchBatches: 2 })).toEqual(await epochIds(path, { ioQueueDepth: 2 }));
  });

  test("is refused beside the new one, and checked alike", async () => {
    await failure(() => open({ prefetchBatches: 2, ioQueueDepth: 2 }), "INVALID_ARGUMENT", "prefetchBatches");
    await failure(() => open({ prefetchBatches: 0 }), "INVALID_ARGUMENT", "prefetchBatches", "0");
  });
});

function shown(value: unknown): string {
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "bigint" ? `${value}n` : String(value);
}
