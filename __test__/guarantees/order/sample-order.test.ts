import { beforeAll, describe, expect, test } from "vitest";
import {
  type ErrorCode,
  SampleOrder,
  type SampleOrderOptions,
  StreamingDataset,
} from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { readIds } from "../../support/reading.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const numRows = 203;
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", numRows, { fragments: 3 });
});

function rows(options: Omit<SampleOrderOptions, "numRows">): number[] {
  const order = new SampleOrder({ numRows, ...options });
  return Array.from(order.rows(0, order.numSamples), Number);
}

describe("the order without a table", () => {
  test.each([
    ["shuffled", {}],
    ["shuffled in clumps", { shuffleClumpSize: 7, shuffleSeed: 3, epoch: 2 }],
    ["in storage order", { shuffle: false, numSplits: 4 }],
    ["of one rank of two", { numSplits: 8, worldSize: 2, rank: 1 }],
    ["with the rest of the rows", { numSplits: 8, remainder: "keep" as const, shuffleSeed: 2n ** 64n - 1n }],
  ])("is that of a dataset, %s", async (_, options) => {
    await using dataset = await StreamingDataset.open(path, options);
    const order = new SampleOrder({ numRows, ...options });
    expect([order.numSamples, order.numDropped]).toEqual([dataset.numSamples, dataset.numDropped]);
    expect(rows(options)).toEqual(await readIds(dataset));
    // Another seed would be seen.
    if (!("shuffle" in options)) expect(rows({ ...options, shuffleSeed: 99 })).not.toEqual(rows(options));
  });

  test("goes on where a dataset was left, with splits that stand apart", async () => {
    const samplesConsumed = [3, 5, 4, 5];
    await using dataset = await StreamingDataset.open(path, { numSplits: 4 });
    dataset.loadStateDict({
      ...dataset.stateDict(),
      samples_consumed_per_split: samplesConsumed,
      positions_consumed_per_split: samplesConsumed,
    });
    const order = new SampleOrder({ numRows, numSplits: 4, samplesConsumed });
    expect(order.numRemaining).toBe(order.numSamples - 17);
    expect(Array.from(order.rows(0, numRows), Number)).toEqual(await readIds(dataset));
  });

  test("is told in parts, and not beyond its end", () => {
    const order = new SampleOrder({ numRows, numSplits: 4 });
    const all = order.rows(0, 1000);
    expect(all).toHaveLength(200);
    expect(order.rows(13, 50)).toEqual(all.slice(13, 63));
    expect(order.rows(190, 50)).toEqual(all.slice(190));
    expect(order.rows(200, 1)).toHaveLength(0);
  });

  test("of ten quadrillion minus some rows is there at once", () => {
    const order = new SampleOrder({
      numRows: Number.MAX_SAFE_INTEGER,
      numSplits: 4096,
      worldSize: 4096,
      rank: 4095,
    });
    const last = order.rows(order.numSamples - 1, 1)[0] ?? -1n;
    expect(last).toBeGreaterThanOrEqual(0n);
    expect(last).toBeLessThan(2n ** 53n - 1n);
  });

  test.each<[string, SampleOrderOptions, ErrorCode]>([
    ["no rows for its splits", { numRows: 3, numSplits: 4 }, "TOO_FEW_ROWS"],
    ["a negative number of rows", { numRows: -1 }, "INVALID_ARGUMENT"],
    [
      "splits that ranks can't share",
      { numRows: 9, numSplits: 3, worldSize: 2 },
      "INVALID_ARGUMENT" as const,
    ],
    ["a rank that is not there", { numRows: 9, worldSize: 2, rank: 2 }, "INVALID_ARGUMENT"],
    ["progress of other splits", { numRows: 9, samplesConsumed: [1, 1] }, "INVALID_ARGUMENT"],
    ["progress beyond a split", { numRows: 9, samplesConsumed: [10] }, "INVALID_ARGUMENT"],
    ["a seed that is too large", { numRows: 9, shuffleSeed: 2n ** 64n }, "INVALID_ARGUMENT"],
    [
      "an option that it does not know",
      { numRows: 9, batchSize: 4 } as SampleOrderOptions,
      "INVALID_ARGUMENT",
    ],
  ])("refuses %s", async (_, options, code) => {
    await failure(() => new SampleOrder(options), code);
  });

  test("refuses counts that it can't hold", async () => {
    const order = new SampleOrder({ numRows });
    await failure(() => order.rows(0, 2 ** 24 + 1), "INVALID_ARGUMENT", "count");
    await failure(() => order.rows(-1, 1), "INVALID_ARGUMENT", "from");
  });
});
