import { checkBoolean, checkChoice, checkInteger, checkOptions, invalid } from "../check.ts";
import { loadBinding, type NativeBinding } from "../native.ts";
import { native } from "../tables/native-errors.ts";
import { maxSplits } from "./max-splits.ts";
import { checkSeed, type StreamingDatasetOptions } from "./options.ts";

/** What decides a {@link SampleOrder}: options of `StreamingDataset.open` by the same names and with the same defaults. */
export interface SampleOrderOptions
  extends Pick<
    StreamingDatasetOptions,
    "numSplits" | "shuffle" | "shuffleClumpSize" | "epoch" | "remainder" | "rank" | "worldSize"
  > {
  /** The number of rows: 0 to 2^53 - 1. */
  readonly numRows: number;
  /** The seed: a safe integer or a `bigint` below 2^64. @default 0 */
  readonly shuffleSeed?: number | bigint;
  /** Samples of each split that were handed over before. @default none */
  readonly samplesConsumed?: readonly number[];
}

const known: readonly (keyof SampleOrderOptions)[] = [
  "numRows",
  "numSplits",
  "shuffle",
  "shuffleClumpSize",
  "shuffleSeed",
  "epoch",
  "remainder",
  "rank",
  "worldSize",
  "samplesConsumed",
];

/**
 * The order in which a dataset would hand over so many rows, without a table: for looking at an order, and for planning runs on tables that are not
 * there yet. Making one takes microseconds and under a hundred bytes a split, whatever the number of rows.
 *
 * @example
 * ```ts
 * const order = new SampleOrder({ numRows: 1e10, numSplits: 4096, rank: 17, worldSize: 1024 });
 * order.rows(order.numSamples - 8, 8); // the last rows that rank 17 gets
 * ```
 */
export class SampleOrder {
  readonly #order: InstanceType<NativeBinding["SampleOrder"]>;

  /** @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `TOO_FEW_ROWS`. */
  constructor(options: SampleOrderOptions) {
    checkOptions("options", options, known);
    const { rank = 0, worldSize = 1, numSplits = worldSize, shuffleSeed = 0, epoch = 0 } = options;
    const { shuffle = true, shuffleClumpSize = 1, remainder = "drop", samplesConsumed = [] } = options;
    if (!Array.isArray(samplesConsumed))
      throw invalid("samplesConsumed", samplesConsumed, "a list with one number for each split");
    const plan = {
      numSplits: checkInteger("numSplits", numSplits, 1, maxSplits),
      keepRemainder: checkChoice("remainder", remainder, ["drop", "keep"]) === "keep",
      shuffle: checkBoolean("shuffle", shuffle),
      shuffleClumpSize: checkInteger("shuffleClumpSize", shuffleClumpSize, 1),
      shuffleSeed: checkSeed(shuffleSeed),
      epoch: checkInteger("epoch", epoch, 0),
      rank: checkInteger("rank", rank, 0),
      worldSize: checkInteger("worldSize", worldSize, 1),
      worker: 0,
      numWorkers: 1,
      progress: samplesConsumed.map((samples, split) =>
        checkInteger(`samplesConsumed[${split}]`, samples, 0),
      ),
      positions: [],
      maySkip: false,
      leftOut: [],
    };
    const numRows = checkInteger("numRows", options.numRows, 0);
    this.#order = native(() => loadBinding().SampleOrder.over(numRows, plan));
  }

  /** The samples of this rank's epoch, those consumed before included. */
  get numSamples(): number {
    return this.#order.total;
  }

  /** The samples of this rank that are left. */
  get numRemaining(): number {
    return this.#order.remaining;
  }

  /** The rows that no rank gets: see `remainder`. */
  get numDropped(): number {
    return this.#order.dropped;
  }

  /**
   * The rows of up to `count` of the samples that are left, from number `from` on, as their places in storage order; none beyond the end. Takes time for
   * each sample, and 8 bytes.
   *
   * @param count - at most 2^24.
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
   */
  rows(from: number, count: number): BigUint64Array {
    checkInteger("from", from, 0);
    checkInteger("count", count, 0, 2 ** 24);
    return native(() => this.#order.rows(from, count));
  }
}
