import { describe, expect, test } from "vitest";
import { StreamingDataLoader, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { collect, withDataset } from "../support/reading.ts";
import { range } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { blocksOf, readBlocks, rowsOf } from "./support/blocks.ts";
import { numberedDocuments, tokenTypes, writeDocuments, writeFixed } from "./support/documents.ts";

const folder = tempFolder();
const options: StreamingDatasetOptions = {
  packSequences: 4,
  eosId: 0,
  padId: 0,
  blocksPerEpoch: 12,
  numSplits: 2,
  shuffle: false,
};
const documents = numberedDocuments([3, 6, 2, 5, 8, 1]);

describe("token lists of every kind come out alike", () => {
  test.each(tokenTypes)("lists of %s", async (name, item) => {
    const wide = name === "int64" || name === "uint64";
    const small = documents.map((tokens) => tokens.map((token) => token % 97));
    const values = small.map((tokens) => tokens.map((token) => (wide ? BigInt(token) : token)));
    const path = await writeDocuments(folder, name, values, item);
    const plain = await writeDocuments(folder, `${name}-plain`, small);
    const read = (at: string) => withDataset(at, options, (dataset) => readBlocks(dataset, 3));
    expect(await read(path)).toEqual(await read(plain));
  });

  test("fixed-size lists", async () => {
    const equal = numberedDocuments([3, 3, 3, 3]);
    const fixed = await writeFixed(folder, "fixed", equal);
    const plain = await writeDocuments(folder, "equal", equal);
    const read = (at: string) => withDataset(at, options, (dataset) => readBlocks(dataset, 3));
    expect(await read(fixed)).toEqual(await read(plain));
  });
});

test("blocks are tensors of int32, or of int64 by option, and mean the same", async () => {
  const path = await writeDocuments(folder, "dtypes", documents);
  await using narrow = await StreamingDataset.open(path, options);
  await using wide = await StreamingDataset.open(path, { ...options, tokenDtype: "int64" });
  const [first] = await collect(narrow.batches(12));
  const [second] = await collect(wide.batches(12));
  expect(first?.tensor("inputIds")).toMatchObject({ dtype: "int32", shape: [12, 4] });
  expect(first?.tensor("inputIds").data).toBeInstanceOf(Int32Array);
  expect(second?.tensor("inputIds").data).toBeInstanceOf(BigInt64Array);
  expect(second?.tensor("docIds").data).toBeInstanceOf(Int32Array);
  expect(second && blocksOf(second)).toEqual(first && blocksOf(first));
});

test("tensors are views of one piece of memory, not copies", async () => {
  const path = await writeDocuments(folder, "views", documents);
  await using dataset = await StreamingDataset.open(path, { ...options, lossMask: true });
  for await (const batch of dataset.batches(4)) {
    const buffers = ["inputIds", "docIds", "lossMask"].map((name) => batch.tensor(name).data.buffer);
    expect(new Set(buffers).size).toBe(1);
    expect(batch.rows().map((row) => (row["inputIds"] as Int32Array).buffer)).toContain(buffers[0]);
  }
});

test("a sample is a block, and the number of samples is that of this rank's blocks", async () => {
  const path = await writeDocuments(folder, "samples", documents);
  for (const worldSize of [1, 2]) {
    await using dataset = await StreamingDataset.open(path, { ...options, worldSize });
    expect(dataset.numSamples).toBe(12 / worldSize);
    expect(dataset.columnNames).toEqual(["inputIds", "docIds"]);
    const samples = await collect(dataset);
    expect(samples).toHaveLength(12 / worldSize);
    expect(Object.keys(samples[0] ?? {})).toEqual(["inputIds", "docIds"]);
    expect(dataset.epoch).toBe(1);
  }
});

test("the loader batches blocks, and a tail that it leaves out is not consumed", async () => {
  const path = await writeDocuments(folder, "loader", documents);
  await using dataset = await StreamingDataset.open(path, options);
  const loader = new StreamingDataLoader(dataset, { batchSize: 5, dropLast: true });
  expect(loader.length).toBe(2);
  const collated = new StreamingDataLoader(dataset, { batchSize: 4, collate: blocksOf });
  const batches = await collect(loader);
  expect(batches.map((batch) => batch.numRows)).toEqual([5, 5]);
  dataset.setEpoch(0);
  const whole = await withDataset(path, options, (again) => readBlocks(again, 12));
  expect((await collect(collated)).flat()).toEqual(whole);
});

test("every token comes once and in order within its document, and what is left over is told", async () => {
  const lengths = range(0, 40).map((document) => (document * 7) % 23);
  const path = await writeDocuments(folder, "tokens", numberedDocuments(lengths));
  await using dataset = await StreamingDataset.open(path, {
    ...options,
    shuffle: true,
    blocksPerEpoch: 160,
    lossMask: true,
  });
  const tokens: number[] = [];
  for await (const batch of dataset.batches(16)) {
    const mask = rowsOf(batch, "lossMask").flat();
    tokens.push(
      ...rowsOf(batch, "inputIds")
        .flat()
        .filter((_, place) => mask[place] === 1),
    );
  }
  const real = lengths.reduce((sum, length) => sum + length + 1, 0);
  expect(tokens.filter((token) => token !== 0).toSorted((one, other) => one - other)).toEqual(
    numberedDocuments(lengths).flat(),
  );
  expect(tokens).toHaveLength(real);
  const stats = dataset.stats.packing;
  expect(stats).toMatchObject({ blocks: 160, realTokens: real, tokensLeftOver: 0, documentsConsumed: 40 });
  expect(stats?.utilization).toBeCloseTo(real / 640, 12);
});

test("one split's documents may be far longer: both give as many blocks", async () => {
  const lengths = [...range(0, 10).map(() => 2), ...range(0, 10).map(() => 200)];
  const path = await writeDocuments(folder, "uneven", numberedDocuments(lengths));
  const blocks = await Promise.all(
    [0, 1].map((rank) =>
      withDataset(path, { ...options, blocksPerEpoch: 80, worldSize: 2, rank }, async (dataset) => ({
        count: (await readBlocks(dataset, 8)).length,
        stats: dataset.stats.packing,
      })),
    ),
  );
  expect(blocks.map(({ count }) => count)).toEqual([40, 40]);
  expect(blocks[0]?.stats).toMatchObject({ documentsConsumed: 10, realTokens: 30, tokensLeftOver: 0 });
  expect(blocks[1]?.stats).toMatchObject({ documentsConsumed: 1, realTokens: 160, tokensLeftOver: 41 });
});
