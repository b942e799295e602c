import { createHash } from "node:crypto";
import { decodeSchema } from "../../arrow/schema.ts";
import { checkInteger, checkOptions, invalid } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";
import { loadBinding, type NativeBinding } from "../../native.ts";
import { native } from "../../tables/native-errors.ts";
import { progressOf, StreamingDataset } from "../dataset.ts";
import type { OpenedTable } from "../opened.ts";
import { resolveOptions, type StreamingDatasetOptions } from "../options.ts";
import { type PackingOptions, packingOptions } from "../packing/options.ts";
import { Progress } from "../progress.ts";
import { checkState, type StateDict } from "../state.ts";
import { type TransformOptions, transformOptions } from "../transform/options.ts";
import type { ArrayTransform } from "../transform/transform.ts";
import { Mixed } from "./mixed.ts";
import { Mixture } from "./mixture.ts";
import { type MixturePart, resolveWeights } from "./weights.ts";

/** When an epoch of a mixture ends: see {@link MixOptions.stop}. */
export type MixtureStop = "first" | "all" | number;

type NativeMixing = InstanceType<NativeBinding["Mixing"]>;

/** What a mixture takes over from the options of a dataset. */
type ReadingOptions = Pick<
  StreamingDatasetOptions,
  | keyof TransformOptions
  | keyof PackingOptions
  | "epoch"
  | "state"
  | "fetch"
  | "memoryBudget"
  | "readBatchSize"
  | "ioQueueDepth"
  | "lendBuffers"
  | "signal"
  | "skipSteps"
>;

/** Options of {@link mix}. Those of reading, of transforms and of packing are the same as of a dataset, whose own ones of reading have no effect. */
export interface MixOptions extends ReadingOptions {
  /** The seed of the choice between datasets: a safe integer or a `bigint` below 2^64. @default 0 */
  readonly seed?: number | bigint;
  /**
   * When an epoch of the mixture ends, counted from a fresh start of all datasets:
   *
   * - `"first"`: before the first dataset would have to begin anew;
   * - `"all"`: when each dataset was had whole at least once; those that are shorter for their weight begin anew, reshuffled;
   * - a number of samples over all ranks, a multiple of the number of splits.
   *
   * The next epoch goes on where this one ends, also inside of a dataset, so that no row is left out for good. Not with `repeat` and `choose`.
   *
   * @default "first"
   */
  readonly stop?: MixtureStop;
}

const readingOptions: readonly (keyof ReadingOptions)[] = [
  ...transformOptions,
  ...packingOptions,
  "epoch",
  "state",
  "fetch",
  "memoryBudget",
  "readBatchSize",
  "ioQueueDepth",
  "lendBuffers",
  "signal",
  "skipSteps",
];

/**
 * Interleaves datasets by weight into one: deterministic, elastic and resumable like one dataset.
 *
 * Which dataset gives which sample is a function of `seed`, the weights, the split and the number of the sample in its split. Each dataset gives its
 * own samples in its own order, and once it has come to the end of an epoch goes on with its next one. Each split keeps the shares at any moment, to
 * within as many samples as there are datasets.
 *
 * All datasets must have the same columns, `numSplits`, `rank`, `worldSize` and `worker`, and stand at the start of an epoch. A mixture reads for itself;
 * closing it closes no dataset.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `CLOSED`; with `state` also `STATE_INVALID` and `STATE_MISMATCH`.
 *
 * @example
 * ```ts
 * const mixture = await mix([{ dataset: web, weight: 0.8 }, { dataset: code, weight: 0.2 }], { seed: 7, stop: 1_000_000 });
 * for await (const batch of mixture.batches(64)) step(batch);
 * ```
 */
export async function mix<Sample>(
  parts: readonly MixturePart[],
  options: MixOptions & { readonly transform: ArrayTransform<Sample> },
): Promise<Mixture<Sample, Sample[]>>;
export async function mix(parts: readonly MixturePart[], options?: MixOptions): Promise<Mixture>;
export async function mix<Sample, Batched>(
  parts: readonly MixturePart[],
  options: MixOptions = {},
): Promise<Mixture<Sample, Batched>> {
  const datasets = checkParts(parts);
  checkOptions("options", options, ["seed", "stop", ...readingOptions]);
  const { seed, stop, ...reading } = options;
  const first = datasets[0] as Progress;
  const topology = topologyOf(first);
  const resolved = resolveOptions({
    ...reading,
    ...topology,
    ...(seed !== undefined && { shuffleSeed: seed }),
  });
  const state = resolved.state && checkState(resolved.state);
  const mixing = native(() => new (loadBinding().Mixing)());
  for (const { table, plan } of datasets) native(() => mixing.add(table.handle, plan));
  const handle = native(() => mixing.table(resolved.memoryBudget, resolved.sharedBudget));
  try {
    const descriptions = datasets.map((dataset) => describe(dataset.state()));
    const numSplits = topology.numSplits;
    const weights = weigh({
      parts,
      mixing,
      numSplits,
      seed: resolved.shuffleSeed ?? state?.seed ?? 0n,
      stop,
    });
    const mixed = new Mixed({ mixing, ...weights, numSplits, datasets: descriptions });
    const table = opened(handle, first.table, descriptions, mixed);
    return new Mixture(await Progress.begin(table, resolved, state), mixed, resolved.transform);
  } catch (error) {
    handle.close();
    throw error;
  }
}

function checkParts(parts: readonly MixturePart[]): Progress[] {
  if (!Array.isArray(parts) || parts.length === 0)
    throw invalid("parts", parts, "a list of datasets and their weights");
  const datasets = parts.map((part, at) => {
    checkOptions(`parts[${at}]`, part, ["dataset", "weight", "repeat", "choose"]);
    const { dataset } = part;
    if (!(dataset instanceof StreamingDataset) || dataset instanceof Mixture)
      throw invalid(`parts[${at}].dataset`, dataset, "a StreamingDataset of one table");
    const progress = progressOf(dataset);
    checkMixable(`parts[${at}].dataset`, progress);
    return progress;
  });
  const [first] = datasets as [Progress];
  for (const [at, dataset] of datasets.entries()) {
    const topology = topologyOf(dataset);
    for (const field of ["numSplits", "worldSize", "rank"] as const)
      compare(at, field, topology[field], topologyOf(first)[field]);
    compare(at, "worker", JSON.stringify(topology.worker), JSON.stringify(topologyOf(first).worker));
  }
  return datasets;
}

function topologyOf({ numSplits, options: { rank, worldSize, worker } }: Progress) {
  return { numSplits, rank, worldSize, worker };
}

/** Refuses a dataset of which more is asked than rows, or that is not at the start of an epoch. */
function checkMixable(name: string, { options, isAtStart }: Progress): void {
  const refuse = (what: string, way: string) => {
    throw new LanceLoaderError("INVALID_ARGUMENT", `${name} ${what}, and can't be mixed: ${way}.`);
  };
  if (options.remainder === "keep")
    refuse('has remainder "keep"', 'open it with remainder "drop", so that its splits are of one length');
  if (options.packing !== undefined)
    refuse("has packSequences", "give them to the mixture, which then packs what it mixes");
  if (options.transform !== undefined)
    refuse("has a transform or syncEpochEnd", "give it to the mixture, whose rows it then gets");
  if (options.skipSteps.length > 0)
    refuse("has skipSteps", "give them to the mixture, whose steps are others");
  if (!isAtStart) refuse("stands inside an epoch", "call reset() or setEpoch() first");
}

function compare(at: number, field: string, theirs: unknown, ours: unknown): void {
  if (theirs === ours) return;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `parts[${at}].dataset has ${field} ${theirs}, and the first dataset ${ours}: the datasets of a mixture share their splits, ranks and workers. Open them with the same ${field}.`,
  );
}

/** A dataset's state without what the ranks differ in. */
function describe(state: StateDict): StateDict {
  const { owned_splits: _, positions_consumed_per_split: __, ...shared } = state;
  return { ...shared, samples_consumed_per_split: 0 };
}

interface Weighing {
  readonly parts: readonly MixturePart[];
  readonly mixing: NativeMixing;
  readonly numSplits: number;
  readonly seed: bigint;
  readonly stop: MixtureStop | undefined;
}

/** The weights, and the samples of each split of an epoch. */
function weigh({ parts, mixing, numSplits, seed, stop }: Weighing): {
  readonly weights: readonly number[];
  readonly splitLength: number;
} {
  const { weights, splitLength } = resolveWeights(
    parts,
    native(() => mixing.splitLengths),
    numSplits,
  );
  if (splitLength !== undefined) {
    if (stop === undefined) return { weights, splitLength };
    throw invalid("stop", stop, "left out with repeat and choose, which say how long an epoch is");
  }
  if (typeof stop === "number") {
    const samples = checkInteger("stop", stop, numSplits);
    if (samples % numSplits === 0) return { weights, splitLength: samples / numSplits };
    throw invalid("stop", stop, `a multiple of numSplits, which is ${numSplits}`);
  }
  if (stop !== undefined && stop !== "first" && stop !== "all")
    throw invalid("stop", stop, '"first", "all" or a number of samples');
  const nativeWeights = { seed, segment: 0, weights: [...weights], numSplits };
  return { weights, splitLength: native(() => mixing.levels(nativeWeights, stop === "all")) };
}

function opened(
  handle: OpenedTable["handle"],
  first: OpenedTable,
  datasets: readonly StateDict[],
  mixed: Mixed,
): OpenedTable {
  const identities = JSON.stringify(datasets.map(({ table_identity }) => table_identity));
  return {
    handle,
    schema: decodeSchema(native(() => handle.schema)),
    version: first.version,
    branch: first.branch,
    identity: createHash("sha256").update(identities).digest("hex").slice(0, 32),
    numRows: Number.POSITIVE_INFINITY,
    selection: {
      numRows: undefined,
      numSplits: undefined,
      permutation: null,
      splitStrategy: null,
      mixture: mixed,
      plan: (table, plan, base) => mixed.plan(table, plan, base),
    },
  };
}
