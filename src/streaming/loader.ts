import type { Batch } from "../arrow/batch.ts";
import { checkBoolean, checkFunction, checkInteger, checkOptions, invalid } from "../check.ts";
import { StreamingDataset } from "./dataset.ts";
import type { EpochStream } from "./epoch-iterator.ts";
import type { Collate } from "./stages.ts";

/** Options of {@link StreamingDataLoader}. */
export interface StreamingDataLoaderOptions<Batched = Batch, Output = Batched> {
  /** Rows of a batch. @default 1 */
  readonly batchSize?: number;
  /** Whether a last batch with fewer rows is left out; its rows count as not consumed. @default false */
  readonly dropLast?: boolean;
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

const known = ["batchSize", "dropLast", "collate", "prefetch", "numWorkers"] as const;

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
    this.#collate = collate === undefined ? undefined : checkFunction("collate", collate);
  }

  /** The number of batches of this rank's epoch, those already handed over included. */
  get length(): number {
    return this.dataset.numBatches(this.batchSize, { dropLast: this.#dropLast });
  }

  /** The rest of the epoch. Errors are those of `dataset.batches`, and `COLLATE_FAILED` with what `collate` threw as the cause. */
  [Symbol.asyncIterator](): EpochStream<Output> {
    const shared = { dropLast: this.#dropLast, numWorkers: this.#numWorkers };
    if (this.#collate === undefined) {
      // Without a collate the output is the batch itself, as the default of `Output` says.
      return this.dataset.batches(this.batchSize, shared) as EpochStream<unknown> as EpochStream<Output>;
    }
    return this.dataset.batches(this.batchSize, {
      ...shared,
      collate: this.#collate,
      prefetch: this.#prefetch,
    });
  }
}
