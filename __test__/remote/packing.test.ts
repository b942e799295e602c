import { expect, test } from "vitest";
import { mix, StreamingDataset, type TableSource } from "../../src/index.ts";
import { readBlocks } from "../packing/support/blocks.ts";
import { numberedDocuments, writeDocuments } from "../packing/support/documents.ts";
import { both } from "./support/both.ts";

const lengths = [3, 6, 2, 5, 0, 13, 1, 4, 30, 2, 2, 7, 0, 9, 3, 3, 11, 1, 5, 8, 2, 6, 4, 17];
const table = both("corpus", (folder) => writeDocuments(folder, "corpus", numberedDocuments(lengths)));
const options = { packSequences: 5, eosId: 1, padId: 1, blocksPerEpoch: 36, numSplits: 4, shuffleSeed: 11 };

test("blocks of a remote table are those of the table on disk", async () => {
  const blocks = await table.same(async (source) => {
    await using dataset = await StreamingDataset.open(source, options);
    return await readBlocks(dataset, 4);
  });
  expect(blocks.length).toBe(36);
  expect(new Set(blocks.flatMap(({ inputIds }) => inputIds)).size).toBeGreaterThan(100);
});

test("an estimate of the blocks is that of the table on disk", async () => {
  await table.same(async (source) => {
    await using dataset = await StreamingDataset.open(source, { ...options, blocksPerEpoch: "auto" });
    return dataset.numSamples;
  });
});

test.each([1, 4, 8])("blocks go on after %i cycles where they stopped", async (cycles) => {
  await table.same(async (source) => {
    await using first = await StreamingDataset.open(source, options);
    const begun = await readBlocks(first, 4, 4 * cycles);
    await using second = await StreamingDataset.open(source, { ...options, state: first.stateDict() });
    return [...begun, ...(await readBlocks(second, 4))];
  });
});

test("a mixture of a remote table and one on disk is that of two on disk", async () => {
  const samples = await table.same(async (source) => {
    const open = (of: TableSource, seed: number) =>
      StreamingDataset.open(of, { shuffleSeed: seed, numSplits: 2 });
    await using first = await open(source, 1);
    await using second = await open(table.path(), 2);
    const mixture = await mix([
      { dataset: first, weight: 3 },
      { dataset: second, weight: 1 },
    ]);
    await using read = mixture;
    const rows: unknown[] = [];
    for await (const row of read) rows.push(row);
    return rows;
  });
  expect(samples.length).toBeGreaterThan(20);
});
