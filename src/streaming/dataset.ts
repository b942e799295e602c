import type { Schema } from "apache-arrow";
import type { Batch } from "../arrow/batch.ts";
import type { Row } from "../arrow/row-value.ts";
import { checkBoolean, checkFunction, checkInteger, checkOptions, invalid } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { native } from "../tables/native-errors.ts";
import { resolveSource, type TableSource } from "../tables/source.ts";
import { publishBatch, publishWindows, watchWindows } from "./diagnostics.ts";
import { EpochIterator, type EpochStream } from "./epoch-iterator.ts";
import { EpochRead } from "./epoch-read.ts";
import type { Feed } from "./feed.ts";
import { GroupedFeed } from "./lengths/grouped-feed.ts";
import { checkGroupByLength, type GroupByLength, levelsOfBatch } from "./lengths/options.ts";
import { mergeStateDicts } from "./merge.ts";
import { openTable } from "./opened.ts";
import { type ResolvedOptions, resolveOptions, type StreamingDatasetOptions } from "./options.ts";
import { Progress } from "./progress.ts";
import { RawFeed } from "./raw-feed.ts";
import { BatchStage, type Collate, CollateStage, SampleStage } from "./stages.ts";
import { type CheckedState, checkState, type StateDict } from "./state.ts";
import type { FetchStatistics, StreamingStatistics } from "./statistics.ts";
import { StepPlan } from "./step-plan.ts";
import { openTransformFeed, type Wanted } from "./transform/open-feed.ts";
import type { ResolvedTransform } from "./transform/options.ts";
import type { ArrayTransform } from "./transform/transform.ts";

/** Options of {@link StreamingDataset.batches}. */
export interface BatchesOptions {
  /** Whether a last batch with fewer rows is left out; its rows count as not consumed. @default false */
  readonly dropLast?: boolean;
  /**
   * Threads of a module transform in this loop; 0 for its `transformParallelism`. The order does not depend on it, and no number of splits has to be divisible by it. An error
   * with a function, which runs on the caller's thread; without a transform, threads have nothing to do.
   *
   * @default 0
   */
  readonly numWorkers?: number;
  /**
   * Puts rows of like length into one batch. The levels of an epoch are cut into blocks of `lookAhead` batches; in a block each split sorts its rows by length and deals
   * them into batches, whose order is drawn from the seed. So a global step has the same rows on every topology, and a state saved after any batch resumes
   * exactly, with the same grouping. What is left for less than a batch comes last. `batchSize` must be a multiple of the splits that this rank owns. Not with
   * `packSequences`, `skipSteps` or a transform.
   */
  readonly groupByLength?: GroupByLength;
}

/** Options of {@link StreamingDataset.batches} with a collate. */
export interface CollatedBatchesOptions<Output, Batched = Batch> extends BatchesOptions {
  /** Makes what is handed over from each batch. Its calls may overlap; what they make is handed over in order. */
  readonly collate: Collate<Output, Batched>;
  /** Batches that are collated ahead of the consumer. @default 2 */
  readonly prefetch?: number;
}

/**
 * Where a dataset stands, for the library's own use.
 *
 * @throws {@link LanceLoaderError} `CLOSED`.
 */
export let progressOf: (dataset: StreamingDataset) => Progress;

/** The most samples that a plain loop over a dataset reads at once. */
const sampleBatchRows = 256;

/**
 * The rows of a Lance table as a stream of samples: shuffled anew in every epoch, shared between ranks, and resumable at any sample.
 *
 * The order is a function of the table's version, the filter, `numSplits`, the shuffle options, the seed and the epoch, and of nothing else.
 * When a loop has run to its end the dataset stands at the start of the next epoch, so that a loop in a loop trains epoch after epoch.
 *
 * `Sample` is what a loop yields, `Batched` what batches are: rows and {@link Batch}es, or with a transform that gives arrays its outputs and arrays of them.
 *
 * @example
 * ```ts
 * const dataset = await StreamingDataset.open("data/digits.lance", { shuffleSeed: 7 });
 * for await (const { image, label } of dataset) train(image, label);
 * ```
 */
export class StreamingDataset<Sample = Row, Batched = Batch>
  implements AsyncIterable<Sample>, AsyncDisposable
{
  readonly #progress: Progress;
  readonly #transform: ResolvedTransform | undefined;
  #read: EpochRead | undefined;
  #closed = false;

  static {
    progressOf = (dataset) => {
      if (dataset.#closed) throw closed();
      return dataset.#progress;
    };
  }

  /** @internal */
  protected constructor(progress: Progress, transform: ResolvedTransform | undefined) {
    this.#progress = progress;
    this.#transform = transform;
  }

  /**
   * Opens a table at one version, which is read until the dataset is closed, whatever is written to the table meanwhile.
   *
   * @param source - the path or URI of a Lance table, `{ uri, storageOptions }`, or an open table of `@lancedb/lancedb`, local or remote.
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `TABLE_NOT_FOUND`, `VERSION_NOT_FOUND`, `UNKNOWN_COLUMN`, `INVALID_FILTER`, `TOO_FEW_ROWS`,
   * `UNSUPPORTED_SOURCE`, `UNSUPPORTED_TYPE`, `READ_FAILED`, `ABORTED`; with `state` also `STATE_INVALID` and `STATE_MISMATCH`.
   */
  static async open<Sample>(
    source: TableSource,
    options: StreamingDatasetOptions & { readonly transform: ArrayTransform<Sample> },
  ): Promise<StreamingDataset<Sample, Sample[]>>;
  static async open<Sample = Row, Batched = Batch>(
    source: TableSource,
    options: StreamingDatasetOptions & { readonly transform: URL | string },
  ): Promise<StreamingDataset<Sample, Batched>>;
  static async open(source: TableSource, options?: StreamingDatasetOptions): Promise<StreamingDataset>;
  static async open<Sample, Batched>(
    source: TableSource,
    options: StreamingDatasetOptions = {},
  ): Promise<StreamingDataset<Sample, Batched>> {
    const resolved = resolveOptions(options);
    const state = resolved.state && checkState(resolved.state);
    const table = await openTable(await resolveSource(source), state ? atState(resolved, state) : resolved);
    try {
      return new StreamingDataset(await Progress.begin(table, resolved, state), resolved.transform);
    } catch (error) {
      table.handle.close();
      throw error;
    }
  }

  /**
   * The states of all ranks as one, which any number of ranks can load.
   *
   * @throws {@link LanceLoaderError} `STATE_INVALID`, `STATE_MISMATCH`.
   */
  static mergeStateDicts(states: readonly StateDict[]): StateDict {
    return mergeStateDicts(states);
  }

  /** The names and types of the columns that are read; in packing those of the blocks. */
  get schema(): Schema {
    return this.#progress.schema;
  }

  /** The names of the columns, in order. */
  get columnNames(): readonly string[] {
    return this.schema.fields.map((field) => field.name);
  }

  /** The epoch that is being read, or comes next. */
  get epoch(): number {
    return this.#progress.epoch;
  }

  /** The version of the table. */
  get version(): number {
    return this.#progress.table.version;
  }

  /** The number of splits. */
  get numSplits(): number {
    return this.#progress.numSplits;
  }

  /** The seed. */
  get shuffleSeed(): bigint {
    return this.#progress.seed;
  }

  /**
   * The samples of this rank's (and worker's) epoch, in packing its blocks; those already handed over included. Where rows are skipped it is the
   * most that there can be.
   */
  get numSamples(): number {
    return this.#progress.total;
  }

  /** The rows of the table, or of the filter, that no rank gets because they are left over from the cut into splits: see `remainder`. */
  get numDropped(): number {
    return this.#progress.plan.dropped;
  }

  /** Which rows make the steps of the current epoch. Reads no row. */
  get plan(): StepPlan {
    return new StepPlan(this.#progress);
  }

  /** What was read, and where the rows are. */
  get stats(): StreamingStatistics {
    const { table, consumed, packing, skipped, transformSeconds } = this.#progress;
    const { bytesLoaded, fetchTime, budgetUsed, ...rows } = native(() => table.handle.statistics());
    const fetch = rows.fetch && {
      mode: rows.fetch as FetchStatistics["mode"],
      reason: rows.fetchReason ?? "",
    };
    const queues = this.#read?.queues(rows.unscannedRows, rows.rawRows, rows.readyRows);
    const read = {
      bytesLoaded,
      fetchTime,
      transformTime: transformSeconds,
      rawQueueDepth: queues?.raw ?? 0,
      prefetchQueueDepth: queues?.waiting ?? 0,
      unscannedRows: queues === undefined ? 0 : rows.unscannedRows,
      consumedRows: consumed,
      rowsSkipped: skipped,
      ...(fetch && { fetch }),
      budgetUsed,
    };
    return packing === undefined ? read : { ...read, packing };
  }

  /**
   * The number of batches of this rank's epoch.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
   */
  numBatches(batchSize: number, options: BatchesOptions = {}): number {
    const size = checkInteger("batchSize", batchSize, 1);
    const batches = this.numSamples / size;
    return checkBatches(options) ? Math.floor(batches) : Math.ceil(batches);
  }

  /**
   * The rest of the epoch in batches of `batchSize` rows; the last one may be short.
   *
   * A batch counts as handed over as a whole. Nothing is read before the first batch is asked for.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`; its `next()` also `ITERATOR_OPEN`, `READ_FAILED`, `ROWS_MISSING`, `BATCH_TOO_LARGE`,
   * `ABORTED`, `CLOSED`, with a transform `TRANSFORM_FAILED`, `WORKER_FAILED` and `SYNC_FAILED`, and `COLLATE_FAILED` with what `collate` threw as the cause.
   */
  batches(batchSize: number, options?: BatchesOptions): EpochStream<Batched>;
  batches<Output>(batchSize: number, options: CollatedBatchesOptions<Output, Batched>): EpochStream<Output>;
  batches<Output>(
    batchSize: number,
    options: BatchesOptions | CollatedBatchesOptions<Output, Batched> = {},
  ): EpochStream<Batched> | EpochStream<Output> {
    const batchRows = checkInteger("batchSize", batchSize, 1, 2 ** 31);
    const groups = options.groupByLength && checkGroupByLength(options.groupByLength);
    const levels = groups && levelsOfBatch(groups, batchRows, this.#progress);
    const grouped =
      levels === undefined
        ? undefined
        : () => new GroupedFeed(this.#progress, groups as GroupByLength, levels);
    const dropLast = checkBatches(options);
    const numWorkers = this.checkNumWorkers(options.numWorkers);
    const read = this.#begin({ batchRows, whole: true, dropLast, numWorkers }, grouped);
    const { collate, prefetch = 2 } = options as Partial<CollatedBatchesOptions<Output, Batched>>;
    checkInteger("prefetch", prefetch, 0, 1024);
    if (collate === undefined) return new EpochIterator(read, new BatchStage(read));
    return new EpochIterator(read, new CollateStage(read, checkFunction("collate", collate), prefetch));
  }

  /** The samples of the rest of the epoch: rows as plain objects, or what the transform makes of each. */
  [Symbol.asyncIterator](): EpochStream<Sample> {
    const batchRows = Math.min(sampleBatchRows, this.#progress.sampleRows);
    const read = this.#begin({ batchRows, whole: false, dropLast: false, numWorkers: 0 });
    return new EpochIterator(read, new SampleStage<Sample>(read));
  }

  /**
   * Where the epoch stands: what the consumer was handed, and no more. Synchronous, at any time, also while iterating.
   *
   * @throws {@link LanceLoaderError} `STATE_INVALID` in packing, in the middle of a cycle of the owned splits.
   */
  stateDict(): StateDict {
    return this.#progress.state();
  }

  /**
   * Goes to where a state stands: its epoch and its progress, and, where they were left out, its seed and its number of splits.
   *
   * @throws {@link LanceLoaderError} `STATE_INVALID`; `STATE_MISMATCH` for a state of another run, naming what differs; `ITERATOR_OPEN`. Nothing has changed then.
   */
  loadStateDict(state: StateDict): void {
    this.#checkIdle("loadStateDict");
    this.#progress.load(checkState(state));
  }

  /**
   * Goes to the start of another epoch; the number of the current epoch changes nothing.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `ITERATOR_OPEN`.
   */
  setEpoch(epoch: number): void {
    const checked = checkInteger("epoch", epoch, 0);
    this.#checkIdle("setEpoch");
    if (checked !== this.epoch) this.#progress.begin(checked);
  }

  /**
   * Goes back to the start of the current epoch.
   *
   * @throws {@link LanceLoaderError} `ITERATOR_OPEN`.
   */
  reset(): void {
    this.#checkIdle("reset");
    this.#progress.begin(this.epoch);
  }

  /** Ends an iteration that is open, lets the table and its rows in memory go, and ends the threads of a module transform. Closing again changes nothing. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#read?.close(closed());
      this.#progress.table.handle.close();
    }
    await this.#transform?.pool?.close();
  }

  /** The same as `close()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
   * @internal
   */
  checkNumWorkers(numWorkers = 0): number {
    checkInteger("numWorkers", numWorkers, 0, 1024);
    if (numWorkers === 0 || this.#transform === undefined || this.#transform.pool !== undefined)
      return numWorkers;
    throw invalid(
      "numWorkers",
      numWorkers,
      "0 with a function as the transform, which runs on the caller's thread: put it into a module and give its URL",
    );
  }

  #begin(wanted: Wanted, grouped?: () => GroupedFeed): EpochRead<Batched> {
    const progress = this.#progress;
    const transform = this.#transform;
    // What is fed is what the overloads of `open` promise.
    const start = () =>
      (grouped !== undefined
        ? grouped()
        : transform === undefined
          ? new RawFeed(progress, wanted.batchRows)
          : openTransformFeed(progress, transform, wanted)) as Feed<unknown> as Feed<Batched>;
    return new EpochRead({
      progress,
      start,
      leastRows: wanted.dropLast ? wanted.batchRows : 0,
      opened: (read) => {
        this.#checkIdle("a second iteration");
        watchWindows(progress.table.handle);
        this.#read = read;
      },
      handedOver: (samples) => {
        publishWindows(progress.table.handle);
        publishBatch(() => ({ epoch: progress.epoch, samples, stats: this.stats }));
      },
      closed: (read) => {
        if (this.#read === read) this.#read = undefined;
      },
    });
  }

  #checkIdle(what: string): void {
    if (this.#closed) throw closed();
    if (this.#read === undefined) return;
    throw new LanceLoaderError(
      "ITERATOR_OPEN",
      `The dataset is being iterated, which ${what} would disturb: leave the loop first (break, or return() of the iterator).`,
    );
  }
}

function closed(): LanceLoaderError {
  return new LanceLoaderError("CLOSED", "The dataset is closed: open it again.");
}

/** Checks the options of batches, and says whether the last one may be left out. */
function checkBatches(options: BatchesOptions): boolean {
  checkOptions("options", options, ["dropLast", "numWorkers", "groupByLength", "collate", "prefetch"]);
  const { dropLast = false } = options;
  return checkBoolean("dropLast", dropLast);
}

/** A state says which version of the table it is of, unless the caller does. */
function atState(options: ResolvedOptions, { fields }: CheckedState): ResolvedOptions {
  return {
    ...options,
    version: options.version ?? fields.table_version,
    branch: options.branch ?? fields.table_branch ?? undefined,
  };
}
