// Packs a real corpus into blocks for a language model, stops in the middle, and resumes exactly.
//
//   node examples/packing/main.ts
import { createHash, type Hash } from "node:crypto";
import { decode } from "gpt-3-encoder";
import { type StateDict, StreamingDataset, type StreamingDatasetOptions } from "lance-loader";
import { endOfText, openCorpus } from "./corpus.ts";

const table = await openCorpus(".data/packing");
const common = {
  packSequences: 512,
  eosId: endOfText,
  padId: endOfText,
  blocksPerEpoch: "auto",
  numSplits: 4,
  shuffleSeed: 7,
  lossMask: true,
} satisfies StreamingDatasetOptions;

await show("concat: one stream of tokens, cut where a block ends", common);
await show("bestFit: documents stay whole", { ...common, packing: "bestFit", lookAhead: 64 });

async function show(title: string, options: StreamingDatasetOptions): Promise<void> {
  console.log(`\n${title}`);
  const whole = createHash("sha256");
  await using dataset = await StreamingDataset.open(table, options);
  const half = Math.floor(dataset.numSamples / 2 / dataset.numSplits) * dataset.numSplits;
  await read(dataset, dataset.numSamples, whole);

  const parts = createHash("sha256");
  const saved = await firstHalf(options, half, parts);
  await using resumed = await StreamingDataset.open(table, {
    ...options,
    state: JSON.parse(saved) as StateDict,
  });
  await read(resumed, resumed.numSamples, parts);

  const {
    utilization = 0,
    blocks = 0,
    documentsConsumed = 0,
    tokensLeftOver = 0,
  } = resumed.stats.packing ?? {};
  console.log(`  ${blocks} blocks of ${options.packSequences} tokens from ${documentsConsumed} sentences`);
  console.log(`  utilization ${(100 * utilization).toFixed(2)} %, ${tokensLeftOver} tokens left over`);
  console.log(`  stopped after ${half} blocks with a state of ${saved.length} bytes, and resumed`);
  console.log(`  the same tokens as without the stop: ${whole.digest("hex") === parts.digest("hex")}`);
}

/** Reads the first blocks of an epoch, as a run that is then stopped would, and gives its state. */
async function firstHalf(options: StreamingDatasetOptions, blocks: number, hash: Hash): Promise<string> {
  await using dataset = await StreamingDataset.open(table, options);
  await read(dataset, blocks, hash, true);
  return JSON.stringify(dataset.stateDict());
}

/** Reads `blocks` blocks, or the rest of the epoch. */
async function read(dataset: StreamingDataset, blocks: number, hash: Hash, shows = false): Promise<void> {
  let left = blocks;
  // A multiple of the splits that this rank owns, so that a state can be saved after any batch.
  for await (const batch of dataset.batches(dataset.numSplits)) {
    const { data, shape } = batch.tensor("inputIds"); // Int32Array of the shape [4, 512]
    hash.update(data as Int32Array);
    hash.update(batch.tensor("docIds").data as Int32Array);
    left -= shape[0] ?? 0;
    if (left > 0) continue;
    if (shows)
      console.log(`  a block ends: …${decode([...(data as Int32Array).slice(-40)]).replaceAll("\n", " ")}`);
    break;
  }
}
