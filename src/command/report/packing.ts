import { StreamingDataset, type StreamingDatasetOptions, type TableLocation } from "../../index.ts";
import type { Output } from "../terminal/output.ts";
import type { Packing } from "./data.ts";

/** How documents are packed. */
export interface PackOptions {
  /** The column of token lists. */
  readonly column: string;
  /** Tokens of a block. */
  readonly length: number;
  readonly eosId: number;
  readonly padId: number;
  /** Documents after which a run is left. */
  readonly documents: number;
}

/** A mode of packing. */
type Mode = "concat" | "bestFit";

/** How well blocks are filled, documents cut and documents kept whole. */
export async function packingOf(
  location: TableLocation,
  options: StreamingDatasetOptions,
  pack: PackOptions,
  output: Output,
): Promise<Packing[]> {
  const of = (mode: Mode) => run(location, options, { ...pack, mode }, output);
  return [await of("concat"), await of("bestFit")];
}

async function run(
  location: TableLocation,
  options: StreamingDatasetOptions,
  { column, length, eosId, padId, documents: most, mode }: PackOptions & { readonly mode: Mode },
  output: Output,
): Promise<Packing> {
  await using dataset = await StreamingDataset.open(location, {
    ...options,
    columns: [column],
    packSequences: length,
    eosId,
    padId,
    blocksPerEpoch: "auto",
    packing: mode,
    ...(mode === "bestFit" && { longDocuments: "split" }),
  });
  const documents: number[] = [];
  const utilization: number[] = [];
  using progress = output.progress(`packing, ${mode}`, dataset.numSamples, "blocks");
  // States and statistics are of whole cycles, one block of each split.
  for await (const _ of dataset.batches(dataset.numSplits)) {
    const { packing } = dataset.stats;
    if (packing === undefined) break;
    documents.push(packing.documentsConsumed);
    utilization.push(packing.utilization);
    progress.update(packing.blocks);
    if (packing.documentsConsumed >= most) break;
  }
  const { blocks = 0, padTokens = 0 } = dataset.stats.packing ?? {};
  return { mode, ...thinned(documents, utilization), blocks, padTokens };
}

/** The most points that a line has. */
const points = 400;

/** Points that are spread evenly over both lists; those whose documents are those of the one before are left out. */
function thinned(documents: readonly number[], utilization: readonly number[]) {
  const every = Math.max(1, Math.ceil(documents.length / points));
  const kept = documents
    .map((_, at) => at)
    .filter((at) => (at % every === 0 || at === documents.length - 1) && documents[at] !== documents[at - 1]);
  return {
    documents: kept.map((at) => documents[at] ?? 0),
    utilization: kept.map((at) => utilization[at] ?? 0),
  };
}
