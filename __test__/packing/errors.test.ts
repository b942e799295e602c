import { Float32, Int32, Int64, Table, Utf8, vectorFromArray } from "apache-arrow";
import { beforeAll, describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { withDataset } from "../support/reading.ts";
import { idRows, tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type Block, blocksOf, readBlocks } from "./support/blocks.ts";
import { numberedDocuments, type TokenList, writeDocuments } from "./support/documents.ts";

const folder = tempFolder();
const options: StreamingDatasetOptions = {
  packSequences: 4,
  eosId: 0,
  padId: 0,
  blocksPerEpoch: 8,
  numSplits: 2,
  shuffle: false,
};
const documents = numberedDocuments([3, 6, 2, 5, 8, 1]);
let path: string;

beforeAll(async () => {
  path = await writeDocuments(folder, "corpus", documents);
});

function open(changes: object, at = path): Promise<StreamingDataset> {
  return StreamingDataset.open(at, { ...options, ...changes } as StreamingDatasetOptions);
}

describe("options are refused by name and value:", () => {
  test.each<[string, object, ...string[]]>([
    ["no eosId", { eosId: undefined }, "eosId is undefined", "int32"],
    ["no padId", { padId: undefined }, "padId is undefined"],
    ["an eosId beyond int32", { eosId: 2 ** 31 }, "eosId is 2147483648", "2147483647"],
    ["a padId that is no whole number", { padId: 0.5 }, "padId is 0.5"],
    [
      "a bigint beyond int64",
      { tokenDtype: "int64", padId: 1n << 63n },
      "padId is 9223372036854775808n",
      "int64",
    ],
    ["no budget", { blocksPerEpoch: undefined }, "blocksPerEpoch is undefined", '"auto"'],
    [
      "a budget that the splits do not divide",
      { blocksPerEpoch: 7 },
      "blocksPerEpoch is 7",
      "multiple of numSplits (2)",
      "8",
    ],
    ["blocks of no tokens", { packSequences: 0 }, "packSequences is 0"],
    ["blocks beyond 2^31 - 1", { packSequences: 2 ** 31 }, "packSequences is 2147483648"],
    ["another way of packing", { packing: "best" }, 'packing is "best"', '"concat", "bestFit"'],
    ["a look-ahead without whole documents", { lookAhead: 4 }, "lookAhead", "bestFit"],
    ["a look-ahead of nothing", { packing: "bestFit", lookAhead: 0 }, "lookAhead is 0"],
    ["another type", { tokenDtype: "int16" }, 'tokenDtype is "int16"'],
    ["an option without packing", { packSequences: undefined }, "eosId is given without packSequences"],
    ["a transform beside packing", { transform: () => [] }, "transform", "packSequences"],
    ["what only transforms have", { onTransformError: "skip" }, "onTransformError"],
  ])("%s", async (_, changes, ...parts) => {
    await failure(() => open(changes), "INVALID_ARGUMENT", ...parts);
  });
});

describe("tables that are not one column of token lists are refused:", () => {
  test("several columns", async () => {
    await writeTable(folder, "two", [idRows(0, 8)]);
    await failure(() => open({}, tablePath(folder, "two")), "INVALID_ARGUMENT", '["id", "name"]', "columns");
  });

  test.each([
    ["numbers", vectorFromArray([1, 2, 3], new Int32())],
    ["strings", vectorFromArray(["a", "b", "c"], new Utf8())],
  ])("a column of %s", async (name, vector) => {
    await writeTable(folder, name, [new Table({ tokens: vector })]);
    await failure(() => open({}, tablePath(folder, name)), "UNSUPPORTED_TYPE", '"tokens"', "list");
  });

  test("lists of fractions", async () => {
    const at = await writeDocuments(folder, "fractions", [[0.5], [1], [2]], new Float32());
    await failure(() => open({}, at), "UNSUPPORTED_TYPE", "Float32");
  });
});

/** The blocks before an error, and the error. */
async function readToError(at: string, changes: object): Promise<{ blocks: Block[]; error: unknown }> {
  await using dataset = await open(changes, at);
  const blocks: Block[] = [];
  try {
    for await (const batch of dataset.batches(4)) blocks.push(...blocksOf(batch));
  } catch (error) {
    return { blocks, error };
  }
  return { blocks, error: undefined };
}

describe("a bad document fails when its turn comes, and is named:", () => {
  const bad: [string, TokenList, string[]][] = [
    ["a null list", null, ["null instead of a list", "_rowid 2"]],
    ["a null token", [1, null, 3], ["null token", "_rowid 2"]],
  ];
  test.each(bad)("%s", async (name, document, parts) => {
    const lists = [...documents.slice(0, 2), document, ...documents.slice(3)];
    const at = await writeDocuments(folder, name.replaceAll(" ", "-"), lists);
    const { blocks, error } = await readToError(at, {});
    const good = await withDataset(path, options, (dataset) => readBlocks(dataset, 4));
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks).toEqual(good.slice(0, blocks.length));
    await failure(() => Promise.reject(error), "INVALID_ARGUMENT", '"tokens"', ...parts);
  });

  test("a token that does not fit int32, which int64 holds", async () => {
    const lists = documents.map((tokens, row) => (row === 4 ? [2n ** 40n] : tokens.map(BigInt)));
    const at = await writeDocuments(folder, "wide", lists, new Int64());
    const { error } = await readToError(at, {});
    await failure(() => Promise.reject(error), "INVALID_ARGUMENT", "1099511627776", "int32", "_rowid 4");
    expect((await readToError(at, { tokenDtype: "int64" })).error).toBeUndefined();
  });

  test("a document that is to stay whole and is longer than a block", async () => {
    const { error } = await readToError(path, { packing: "bestFit", lookAhead: 1 });
    await failure(() => Promise.reject(error), "INVALID_ARGUMENT", "5 tokens", "block of 4", "_rowid 3");
  });

  test("a null list fails the estimate, too", async () => {
    const at = await writeDocuments(folder, "null-only", [null, null]);
    await failure(() => open({ blocksPerEpoch: "auto" }, at), "INVALID_ARGUMENT", "null instead of a list");
  });
});

test("a batch beyond 2^31 - 1 tokens is refused", async () => {
  await using dataset = await open({ packSequences: 2 ** 30, blocksPerEpoch: 8 });
  await failure(() => dataset.batches(8).next(), "BATCH_TOO_LARGE", "8 blocks", "1073741824");
});
