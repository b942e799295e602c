import type { Batch } from "../arrow/batch.ts";
import { checkBoolean, checkFunction, checkInteger, checkOptions, invalid } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { StreamingDataset } from "./dataset.ts";
import type { EpochStream } from "./epoch-iterator.ts";
import { checkGroupByLength, type GroupByLength } from "./lengths/options.ts";
import { checkPadOptions, type PaddedBatch, type PadOptions, type PadTo, padBatch } from "./lengths/pad.ts";
import type { Collate } from "./stages.ts";

/** Options of {@link StreamingDataLoader}. */
export interface StreamingDataLoaderOptions<Batched = Batch, Output = Batched> {
  /** Rows of a batch. @default 1 */
  readonly batchSize?: number;
  /** Whether a last batch with fewer rows is left out; its rows count as not consumed. @default false */
  readonly dropLast?: boolean;
  /** Puts rows of like length into one batch: see {@link BatchesOptions.groupByLength}. */
  readonly groupByLength?: GroupByLength;
  /**
   * Pads every column of strings, binaries and lists to one length, that of the longest row or this one: batches are {@link PaddedBatch}es, which `padBatch` makes, too.
   * Not with `collate`, which can call `padBatch` itself.
   */
  readonly padTo?: PadTo;
  /** What is padded with. @default 0 */
  readonly padValue?: PadOptions["padValue"];
  /** Whether rows longer than `padTo` are cut; if not, they are errors. @default false */
  readonly truncate?: boolean;
  /** Makes what is handed over from each batch; by default the batch itself: a {@link Batch}, or an array of what a transform gave. Its calls may overlap, in order, up to `prefetch` of them. */
  readonly collate?: Collate<Output, Batched>;
  /** Batches that are collated ahead of the consumer; 0 collates when a batch is asked for. @default 2 */
  readonly prefetch?: number;
  /**
   * Threads of a module transform; 0 for its `transformParallelism`. The order does not depend on it, and no number of splits has to be divisible by it. An error with
   * a function, which runs on the caller's thread; without a transform, threads have nothing to do.
   *
   * @default 0
   */
  readonly numWorkers?: number;
}

const known = [
  "batchSize",
  "dropLast",
  "groupByLength",
  "padTo",
  "padValue",
  "truncate",
  "collate",
  "prefetch",
  "numWorkers",
] as const;

/**
 * A dataset in batches, ready for a training step.
 *
 * `Batched` is what the dataset's batches are, `Output` what a `collate` makes of them.
 *
 * Each loop reads the rest of the dataset's epoch. What was handed over, and nothing else, counts as consumed: save `dataset.stateDict()` at any batch.
 *
 * @example
 * ```ts
 * const loader = new StreamingDataLoader(dataset, { batchSize: 64, dropLast: true });
 * for await (const batch of loader) step(batch.tensor("image"), batch.column("label"));
 * ```
 */
export class StreamingDataLoader<Batched = Batch, Output = Batched> implements AsyncIterable<Output> {
  /** The dataset that is read. */
  readonly dataset: StreamingDataset<unknown, Batched>;
  /** Rows of a batch. */
  readonly batchSize: number;
  readonly #dropLast: boolean;
  readonly #prefetch: number;
  readonly #numWorkers: number;
  readonly #groupByLength: GroupByLength | undefined;
  readonly #collate: Collate<Output, Batched> | undefined;

  /** @throws {@link LanceLoaderError} `INVALID_ARGUMENT`. */
  constructor(
    dataset: StreamingDataset<unknown, Batched>,
    options: StreamingDataLoaderOptions<Batched, Output> = {},
  ) {
    if (!(dataset instanceof StreamingDataset)) throw invalid("dataset", dataset, "a StreamingDataset");
    checkOptions("options", options, known);
    const { batchSize = 1, dropLast = false, prefetch = 2, collate } = options;
    this.dataset = dataset;
    this.batchSize = checkInteger("batchSize", batchSize, 1, 2 ** 31);
    this.#dropLast = checkBoolean("dropLast", dropLast);
    this.#prefetch = checkInteger("prefetch", prefetch, 0, 1024);
    this.#numWorkers = dataset.checkNumWorkers(options.numWorkers);
    this.#groupByLength = options.groupByLength && checkGroupByLength(options.groupByLength);
    const pad = padCollate(options) as Collate<unknown, unknown> | undefined as
      | Collate<Output, Batched>
      | undefined;
    this.#collate = collate === undefined ? pad : checkFunction("collate", collate);
  }

  /** The number of batches of this rank's epoch, those already handed over included. */
  get length(): number {
    return this.dataset.numBatches(this.batchSize, { dropLast: this.#dropLast });
  }

  /** The rest of the epoch. Errors are those of `dataset.batches`, and `COLLATE_FAILED` with what `collate` threw as the cause. */
  [Symbol.asyncIterator](): EpochStream<Output> {
    const groupByLength = this.#groupByLength;
    const common = {
      dropLast: this.#dropLast,
      numWorkers: this.#numWorkers,
      ...(groupByLength && { groupByLength }),
    };
    if (this.#collate === undefined) {
      // Without a collate the output is the batch itself, as the default of `Output` says.
      return this.dataset.batches(this.batchSize, common) as EpochStream<unknown> as EpochStream<Output>;
    }
    return this.dataset.batches(this.batchSize, {
      ...common,
      collate: this.#collate,
      prefetch: this.#prefetch,
    });
  }
}

/** The collate that pads, where it is asked for. */
function padCollate<Output, Batched>({
  padTo,
  padValue,
  truncate,
  collate,
}: StreamingDataLoaderOptions<Output, Batched>): Collate<PaddedBatch> | undefined {
  if (padTo === undefined) {
    const other = padValue !== undefined ? "padValue" : truncate !== undefined ? "truncate" : undefined;
    if (other === undefined) return undefined;
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `${other} is given without padTo: give padTo, or leave it out.`,
    );
  }
  if (collate !== undefined)
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      "padTo and collate are both given: leave padTo out, and call padBatch(batch, { padTo }) in the collate.",
    );
  const options = checkPadOptions({
    padTo,
    ...(padValue !== undefined && { padValue }),
    ...(truncate !== undefined && { truncate }),
  });
  return (batch) => padBatch(batch, options);
}
