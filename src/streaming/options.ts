import {
  checkBoolean,
  checkChoice,
  checkFunction,
  checkInteger,
  checkOptions,
  checkSignal,
  checkString,
  invalid,
} from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import type { PermutationBuilder } from "../permutation/builder.ts";
import { Permutation } from "../permutation/permutation.ts";
import { defaultMemoryBudget } from "../tables/memory-budget.ts";
import { checkStorageOptions } from "../tables/source.ts";
import { type Cache, cacheOf } from "./cache.ts";
import { maxSplits } from "./max-splits.ts";
import {
  type PackingOptions,
  packingOptions,
  type ResolvedPacking,
  resolvePacking,
} from "./packing/options.ts";
import { checkSkipSteps, type SkipSteps } from "./skip-steps.ts";
import type { StateDict } from "./state.ts";
import {
  type ResolvedTransform,
  resolveTransform,
  type TransformOptions,
  transformOptions,
} from "./transform/options.ts";

/** How rows are fetched: see {@link StreamingDatasetOptions.fetch}. */
export type FetchMode = "auto" | "memory" | "scratch" | "take";

/** Which worker of its rank a dataset belongs to, where the caller runs several. */
export interface WorkerInfo {
  /** From 0 to `numWorkers - 1`. */
  readonly id: number;
  /** How many workers share the rank's splits. */
  readonly numWorkers: number;
}

/** Options of `StreamingDataset.open`. */
export interface StreamingDatasetOptions extends PackingOptions, TransformOptions {
  /** Columns to read, in this order; `_rowid` is the row id. All columns by default. */
  readonly columns?: readonly string[];
  /** An SQL expression: only rows for which it is true belong to the epoch. Scanned once, when the dataset is opened. */
  readonly filter?: string;
  /**
   * Lists of equal length into which an epoch is cut. The order depends on it, but not on how many ranks and workers
   * share the splits: choose a number that every world size you may ever use divides.
   *
   * @default `worldSize`
   */
  readonly numSplits?: number;
  /** Whether the rows are shuffled, anew in each epoch; if not, they come in storage order. @default true */
  readonly shuffle?: boolean;
  /** The seed: a safe integer or a `bigint` below 2^64. `null` draws one at random and is refused with more than one rank. @default 0 */
  readonly shuffleSeed?: number | bigint | null;
  /** Rows of a run of neighbours that the shuffle keeps together: cheaper reads for a weaker shuffle. @default 1 */
  readonly shuffleClumpSize?: number;
  /** The epoch to begin with. @default 0 */
  readonly epoch?: number;
  /** What happens to rows that are left over when the rows are cut into splits: dropped, or one more for the first splits. @default "drop" */
  readonly remainder?: "drop" | "keep";
  /** Which process this is. @default 0 */
  readonly rank?: number;
  /** How many processes share the epoch. @default 1 */
  readonly worldSize?: number;
  /** Which worker of the rank this is, where the rank's splits are shared by several. */
  readonly worker?: WorkerInfo;
  /**
   * Streams the rows of this permutation, and no others: shuffled anew in every epoch, or with `shuffle: false` in their own order. The
   * table is read at the version that the permutation was built on. Only its rows count, not its columns, format or transform. Excludes
   * `filter` and `splitStrategy`.
   */
  readonly permutation?: Permutation<unknown>;
  /**
   * Makes the splits of the epoch: from a builder, which has the `filter`, to one with `numSplits` splits (whose number is the default of
   * `numSplits`). Each epoch shuffles inside the splits. Splits of unequal length are cut to the shortest, with a warning that counts the rows.
   */
  readonly splitStrategy?: (builder: PermutationBuilder) => PermutationBuilder;
  /**
   * Global steps that are left out: their rows count as consumed once they are passed, and all other steps keep their rows. One object, or several for several
   * epochs. A state saved without them can be loaded with them, and the other way round. Not with `packSequences`.
   */
  readonly skipSteps?: SkipSteps | readonly SkipSteps[];
  /** The version of the table to read. The newest one by default; for an open table, its own. */
  readonly version?: number;
  /** The branch of the table to read. @default the main one */
  readonly branch?: string;
  /** Options of the object store, for a source that has none. They are never printed. */
  readonly storageOptions?: Readonly<Record<string, string>>;
  /** A state to go on from: the table is opened at the state's version, and `loadStateDict` is called with it. */
  readonly state?: StateDict;
  /**
   * How rows are fetched. The samples and their order are the same.
   *
   * - `"memory"`: the columns are read once, by one scan, and every batch is gathered from memory; an error where they do not fit `memoryBudget`.
   * - `"scratch"`: one scan an epoch deals the rows into a file in `scratchDir`, by parts of the epoch that fit the budget, and each part is read back once.
   *   A table of any size is read sequentially, but 2 bytes of the budget a row are needed while the rows are dealt. Packing takes instead.
   * - `"take"`: windows of rows are read as they are needed.
   * - `"auto"`: whichever is cheapest for the rows, their size, the budget, the disk, the store and the ranks; `stats.fetch` says which, and why.
   *
   * @default "auto"
   */
  readonly fetch?: FetchMode;
  /** A folder on a local disk for scratch files. They have no name, and vanish with the process however it ends. @default the system's folder for temporary files, unless that is in memory */
  readonly scratchDir?: string;
  /** The most bytes of scratch at one time; 0 for none. @default half of what is free in `scratchDir` */
  readonly scratchBytes?: number;
  /**
   * A folder on a local disk that keeps what was read of data files in an object store: each part is fetched once, by whichever process of this machine, epoch
   * or run needs it first. What is damaged or half written is fetched again. Without effect on local tables. @default none
   */
  readonly cacheDir?: string;
  /**
   * The most bytes of the cache, and up to a sixty-fourth more for each process that uses the folder. A table that fits is fetched once; of a larger one, a
   * part that stays. Files that nobody has open make room for new ones. @default half of what is free in `cacheDir`
   */
  readonly cacheBytes?: number;
  /**
   * Bytes for rows in memory, windows and queues. Without it, all datasets of the process share one budget: the smaller of 1 GiB and a quarter of the
   * memory that the process may use.
   */
  readonly memoryBudget?: number;
  /** Rows that each split contributes to one read. By default chosen from the size of a row and the budget. */
  readonly readBatchSize?: number;
  /** Reads in flight. @default 4 */
  readonly ioQueueDepth?: number;
  /** @deprecated The old name of `ioQueueDepth`. */
  readonly prefetchBatches?: number;
  /** Whether blob-encoded columns come as their bytes or as descriptors, to be read later. @default "bytes" */
  readonly blobs?: "bytes" | "descriptors";
  /**
   * Whether batches are views of the loader's memory instead of copies. Runtimes that do not allow it get copies in any case.
   *
   * @default true
   */
  readonly lendBuffers?: boolean;
  /** Ends reads and iterations when it aborts: their promises reject with `ABORTED`. The state stays exact. */
  readonly signal?: AbortSignal;
}

/** Options with their defaults, checked as far as that is possible without the table. */
export interface ResolvedOptions {
  readonly columns: readonly string[] | undefined;
  readonly filter: string | undefined;
  readonly numSplits: number | undefined;
  readonly shuffle: boolean;
  /** `undefined` where the caller left it to a state. */
  readonly shuffleSeed: bigint | undefined;
  readonly randomSeed: boolean;
  readonly shuffleClumpSize: number;
  readonly epoch: number;
  readonly remainder: "drop" | "keep";
  readonly rank: number;
  readonly worldSize: number;
  readonly worker: WorkerInfo;
  readonly permutation: Permutation<unknown> | undefined;
  readonly splitStrategy: ((builder: PermutationBuilder) => PermutationBuilder) | undefined;
  readonly skipSteps: readonly SkipSteps[];
  readonly version: number | undefined;
  readonly branch: string | undefined;
  readonly storageOptions: Readonly<Record<string, string>> | undefined;
  readonly state: StateDict | undefined;
  readonly fetch: FetchMode;
  readonly scratchDir: string | undefined;
  readonly scratchBytes: number | undefined;
  /** `undefined` without a cache. */
  readonly cache: Cache | undefined;
  readonly memoryBudget: number;
  readonly sharedBudget: boolean;
  readonly readBatchSize: number | undefined;
  readonly ioQueueDepth: number;
  readonly blobs: "bytes" | "descriptors";
  readonly lendBuffers: boolean;
  readonly signal: AbortSignal | undefined;
  /** `undefined` without packing. */
  readonly packing: ResolvedPacking | undefined;
  /** `undefined` without a transform. */
  readonly transform: ResolvedTransform | undefined;
}

const known: readonly (keyof StreamingDatasetOptions)[] = [
  "columns",
  "filter",
  "numSplits",
  "shuffle",
  "shuffleSeed",
  "shuffleClumpSize",
  "epoch",
  "remainder",
  "rank",
  "worldSize",
  "worker",
  "permutation",
  "splitStrategy",
  "skipSteps",
  "version",
  "branch",
  "storageOptions",
  "state",
  "fetch",
  "scratchDir",
  "scratchBytes",
  "cacheDir",
  "cacheBytes",
  "memoryBudget",
  "readBatchSize",
  "ioQueueDepth",
  "prefetchBatches",
  "blobs",
  "lendBuffers",
  "signal",
  ...packingOptions,
  ...transformOptions,
];

/**
 * Checks options and fills in defaults.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
 */
export function resolveOptions(options: StreamingDatasetOptions): ResolvedOptions {
  checkOptions("options", options, known);
  const { shuffle = true, shuffleSeed, shuffleClumpSize = 1, epoch = 0, remainder = "drop" } = options;
  const {
    fetch = "auto",
    memoryBudget = defaultMemoryBudget(),
    blobs = "bytes",
    lendBuffers = true,
  } = options;
  return {
    ...checkTopology(options),
    ...checkPermutation(options),
    columns: optional(options.columns, checkColumns),
    filter: optional(options.filter, (value) => checkString("filter", value)),
    shuffle: checkBoolean("shuffle", shuffle),
    shuffleSeed: optional(shuffleSeed ?? undefined, checkSeed),
    randomSeed: shuffleSeed === null,
    shuffleClumpSize: checkInteger("shuffleClumpSize", shuffleClumpSize, 1),
    epoch: checkInteger("epoch", epoch, 0),
    remainder: checkChoice("remainder", remainder, ["drop", "keep"]),
    skipSteps: checkLeftOut(options),
    version: optional(options.version, (value) => checkInteger("version", value, 1)),
    branch: optional(options.branch, (value) => checkString("branch", value)),
    storageOptions: optional(options.storageOptions, (value) => checkStorageOptions("storageOptions", value)),
    state: options.state,
    fetch: checkChoice("fetch", fetch, ["auto", "memory", "scratch", "take"]),
    scratchDir: optional(options.scratchDir, (value) => checkString("scratchDir", value)),
    scratchBytes: optional(options.scratchBytes, (value) => checkInteger("scratchBytes", value, 0)),
    cache: cacheOf({
      cacheDir: optional(options.cacheDir, (value) => checkString("cacheDir", value)),
      cacheBytes: optional(options.cacheBytes, (value) => checkInteger("cacheBytes", value, 1)),
    }),
    memoryBudget: checkInteger("memoryBudget", memoryBudget, 1),
    sharedBudget: options.memoryBudget === undefined,
    readBatchSize: optional(options.readBatchSize, (value) =>
      checkInteger("readBatchSize", value, 1, 2 ** 31),
    ),
    ioQueueDepth: checkQueueDepth(options),
    blobs: checkChoice("blobs", blobs, ["bytes", "descriptors"]),
    lendBuffers: checkBoolean("lendBuffers", lendBuffers),
    signal: optional(options.signal, checkSignal),
    packing: resolvePacking(options),
    transform: resolveTransform(options),
  };
}

function checkLeftOut({ skipSteps = [], packSequences }: StreamingDatasetOptions): readonly SkipSteps[] {
  if (packSequences === undefined) return checkSkipSteps(skipSteps);
  if (checkSkipSteps(skipSteps).length === 0) return [];
  throw invalid(
    "skipSteps",
    skipSteps,
    "left out with packSequences: steps of blocks depend on what the documents hold",
  );
}

type ResolvedPermutation = Pick<ResolvedOptions, "permutation" | "splitStrategy">;

function checkPermutation(options: StreamingDatasetOptions): ResolvedPermutation {
  const { permutation, splitStrategy, filter } = options;
  const other = filter !== undefined ? "filter" : splitStrategy !== undefined ? "splitStrategy" : undefined;
  if (permutation !== undefined && other !== undefined)
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `permutation and ${other} are both given, but a permutation says already which rows there are: build it with ${other === "filter" ? "the filter" : "those splits"}.`,
    );
  if (permutation !== undefined && !(permutation instanceof Permutation))
    throw invalid("permutation", permutation, "a Permutation: see Permutation.fromTables");
  return {
    permutation,
    splitStrategy: optional(splitStrategy, (strategy) => checkFunction("splitStrategy", strategy)),
  };
}

type ResolvedTopology = Pick<ResolvedOptions, "numSplits" | "rank" | "worldSize" | "worker">;

function checkTopology(options: StreamingDatasetOptions): ResolvedTopology {
  const { worldSize = 1, rank = 0, worker = { id: 0, numWorkers: 1 } } = options;
  checkInteger("worldSize", worldSize, 1, maxSplits);
  if (options.shuffleSeed === null && worldSize > 1)
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `shuffleSeed is null with worldSize ${worldSize}: each rank would draw another seed and shuffle differently. Give all ranks one seed.`,
    );
  return {
    numSplits: optional(options.numSplits, (value) => checkInteger("numSplits", value, 1, maxSplits)),
    rank: checkInteger("rank", rank, 0, worldSize - 1),
    worldSize,
    worker: checkWorker(worker),
  };
}

function optional<In, Out>(value: In | undefined, check: (value: In) => Out): Out | undefined {
  return value === undefined ? undefined : check(value);
}

function checkColumns(columns: readonly string[]): readonly string[] {
  if (!Array.isArray(columns) || columns.some((column) => typeof column !== "string"))
    throw invalid("columns", columns, "a list of column names");
  return [...columns];
}

/**
 * A seed as a number of 64 bits.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
 */
export function checkSeed(seed: unknown): bigint {
  if (typeof seed === "number" && Number.isSafeInteger(seed) && seed >= 0) return BigInt(seed);
  if (typeof seed === "bigint" && seed >= 0n && seed < 1n << 64n) return seed;
  throw invalid(
    "shuffleSeed",
    seed,
    "null, a whole number from 0 to 2^53 - 1, or a bigint from 0n to 2^64 - 1",
  );
}

function checkWorker(worker: WorkerInfo): WorkerInfo {
  checkOptions("worker", worker, ["id", "numWorkers"]);
  const numWorkers = checkInteger("worker.numWorkers", worker.numWorkers, 1, maxSplits);
  return { id: checkInteger("worker.id", worker.id, 0, numWorkers - 1), numWorkers };
}

function checkQueueDepth(options: StreamingDatasetOptions): number {
  const { ioQueueDepth = 4, prefetchBatches } = options;
  if (prefetchBatches === undefined) return checkInteger("ioQueueDepth", ioQueueDepth, 1, 1024);
  warnOfOldName();
  if (options.ioQueueDepth !== undefined)
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      "ioQueueDepth and prefetchBatches are one option under two names: give ioQueueDepth only.",
    );
  return checkInteger("prefetchBatches", prefetchBatches, 1, 1024);
}

let warnedOfOldName = false;

/** Warns once: a program that opens a hundred datasets is told as much by one warning. */
function warnOfOldName(): void {
  if (warnedOfOldName) return;
  warnedOfOldName = true;
  process.emitWarning(
    "The option prefetchBatches of lance-loader is now called ioQueueDepth.",
    "DeprecationWarning",
    "LANCE_LOADER_PREFETCH_BATCHES",
  );
}
