import { checkChoice, checkInteger, checkOptions } from "../check.ts";
import { native } from "../tables/native-errors.ts";
import type { NativePlan } from "./opened.ts";
import type { Progress } from "./progress.ts";
import { levelsOfStep } from "./skip-steps.ts";

/** How steps are counted: see {@link StepPlan}. */
export interface StepOptions {
  /** Rows of a batch of one rank, as in `batches(batchSize)`. @default as many as make a global step of one sample of every split */
  readonly batchSize?: number;
  /** The rows of all ranks, or those of this rank and worker only. @default "all" */
  readonly ranks?: "all" | "own";
}

/**
 * Which rows make the steps of the current epoch, without reading a row.
 *
 * Global step `t` is what all ranks together are handed as their batch number `t`, counted from 0 at the start of the epoch: `batchSize * worldSize` rows, which
 * must be a multiple of the number of splits. They are the same on every topology and are told in the order of one rank that owns all splits: cycle by cycle, in
 * split order. Steps are counted over the whole epoch, whatever was consumed or left out by `skipSteps`; rows that a transform skips are counted as rows. The last step may be
 * short, and there are none behind it.
 */
export class StepPlan {
  readonly #progress: Progress;

  /** @internal */
  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /**
   * The number of steps of the epoch, a short last one included.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
   */
  numSteps(options: StepOptions = {}): number {
    const { plan, rows } = this.#open(options);
    return Math.ceil(native(() => plan.total) / rows);
  }

  /**
   * The row ids of the steps from `fromStep` to before `toStep`, one after the other. Takes time for each row, and 8 bytes.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `CLOSED`; `READ_FAILED` where a permutation's list on disk can't be read.
   */
  rowIds(fromStep: number, toStep: number, options: StepOptions = {}): BigUint64Array {
    const { plan, from, count } = this.#range(fromStep, toStep, options);
    return native(() => plan.rowIds(from, count));
  }

  /**
   * For the same rows, which dataset of a mixture each is of, by its place among those that were mixed; all 0 without a mixture.
   *
   * @throws {@link LanceLoaderError} what `rowIds` throws.
   */
  datasets(fromStep: number, toStep: number, options: StepOptions = {}): Uint32Array {
    const { plan, from, count } = this.#range(fromStep, toStep, options);
    return native(() =>
      plan.datasets(from, count, [...(this.#progress.table.selection.mixture?.starts ?? [0])]),
    );
  }

  #range(fromStep: number, toStep: number, options: StepOptions) {
    const first = checkInteger("fromStep", fromStep, 0);
    const last = checkInteger("toStep", toStep, first);
    const { plan, rows } = this.#open(options);
    // Beyond the end there is nothing, however far.
    const from = Math.min(first * rows, Number.MAX_SAFE_INTEGER);
    return { plan, from, count: Math.min((last - first) * rows, Number.MAX_SAFE_INTEGER) };
  }

  #open(options: StepOptions): { readonly plan: NativePlan; readonly rows: number } {
    checkOptions("options", options, ["batchSize", "ranks"]);
    const { numSplits } = this.#progress;
    const { worldSize } = this.#progress.options;
    const { batchSize = numSplits / worldSize, ranks = "all" } = options;
    checkInteger("batchSize", batchSize, 1, 2 ** 31);
    const levels = levelsOfStep("rowIds", batchSize, numSplits, worldSize);
    const plan = this.#progress.wholePlan(checkChoice("ranks", ranks, ["all", "own"]) === "all");
    const [start = 0, end = numSplits] = native(() => plan.ownedSplits);
    return { plan, rows: levels * (end - start) };
  }
}
