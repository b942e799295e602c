import type { Schema } from "apache-arrow";
import type { BatchSource } from "../../tables/batch-reader.ts";
import type { NativePlan } from "../opened.ts";

/** The raw batches that a runner transforms: those of one read of the rest of an epoch. */
export interface TransformRead {
  /** The running read. Batch number `sequence` of it has `batchRows` rows, the last one of all perhaps fewer. */
  readonly pipeline: BatchSource;
  /** The columns of the batches. */
  readonly schema: Schema;
  readonly batchRows: number;
  /** The plan of the epoch, which knows the rows' ids and seeds. */
  readonly plan: NativePlan;
  /** The number, in the plan, of the read's first row: batch `sequence` begins at `from + sequence * batchRows`. */
  readonly from: number;
  readonly epoch: number;
  /** Calls that may be under way at once. */
  readonly numWorkers: number;
}

/** What a call of a transform came to: its outputs as it gave them, unchecked, or what it threw. */
export type Outcome = { readonly outputs: unknown } | { readonly error: unknown };

/** A raw batch that went through a transform. */
export interface TransformResult {
  /** Which batch of the read it is, from 0, in plan order. */
  readonly sequence: number;
  /** The rows of the raw batch. */
  readonly numRows: number;
  /** Seconds that the call took. */
  readonly seconds: number;
  readonly outcome: Outcome;
  /** Transforms one row of the raw batch alone: asked for after a failure, one row after the other, and never after `release`. */
  rerun(row: number): Promise<RowResult>;
  /** Lets the raw rows go. Called once, when it is known that nothing is run again. */
  release(): void;
}

/** A row that went through a transform alone. */
export interface RowResult {
  readonly seconds: number;
  readonly outcome: Outcome;
}

/**
 * Runs a transform over the raw batches of one read.
 *
 * It neither orders nor judges: whoever asks puts results into plan order by their `sequence`, applies `onTransformError`, and decides by calling `next`
 * how far the transform may run ahead.
 */
export interface TransformRunner {
  /** How many calls of `next` may be open at once. */
  readonly parallelism: number;
  /**
   * Transforms the next raw batch; `null` when there is none left. Calls that are open at once may answer in any order.
   *
   * Rejects where no transform can be asked: a failed read, a lost worker. All results with a `sequence` before the failure are given
   * nevertheless, by other calls, and who asks tells the failure behind them, under every policy.
   */
  next(): Promise<TransformResult | null>;
  /** Says whether somebody waits for a result: only then may a runner's threads keep the process alive. */
  keepAlive?(isAwaited: boolean): void;
  /** Ends the read and lets all go; aborts the `signal` of calls that are under way. Closing again changes nothing. */
  close(): void;
}

/** Starts a runner on a read, which the runner owns from then on. */
export type StartRunner = (read: TransformRead) => TransformRunner;
