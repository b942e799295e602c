import type { LanceLoaderError } from "../../errors.ts";
import { transformFailed } from "./error-policy.ts";
import { acceptOutputs } from "./outputs/accept-outputs.ts";
import type { TransformResult, TransformRunner } from "./runner.ts";
import { rerunRows, type TransformedBatch } from "./transformed-batch.ts";

/** What a {@link TransformAhead} works with. */
export interface AheadOptions {
  readonly runner: TransformRunner;
  /** Batches that may be in the transform or wait behind it. */
  readonly queueDepth: number;
  /** Whether rows of failed batches are run again. */
  readonly rerun: boolean;
  /** The number, in the plan, of the first row of batch `sequence`. */
  firstRow(sequence: number): number;
  /** The row ids from a number in the plan on, for messages. */
  rowIds(from: number, count: number): BigUint64Array;
  /** Counts what a call of the transform took. */
  took(seconds: number): void;
}

/** A batch that has been through the transform, or why it will not come. */
type Settled = { readonly batch: TransformedBatch } | { readonly error: unknown };

/**
 * Runs a transform ahead of its consumer and puts what it makes back into plan order.
 *
 * An error stands behind the batches before it.
 */
export class TransformAhead {
  readonly #options: AheadOptions;
  readonly #settled = new Map<number, Settled>();
  /** Calls that are open. */
  #open = 0;
  /** The batch that is next in plan order. */
  #next = 0;
  /** Set once the runner has no more batches, or fails: told behind all that it gave. */
  #end: { readonly error?: unknown } | undefined;
  #waitingRows = 0;
  #transformedRows = 0;
  /** Taken batches that are not handed over entirely: they count against the queue. */
  #held = 0;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(options: AheadOptions) {
    this.#options = options;
  }

  /** Samples that were not taken. */
  get waitingRows(): number {
    return this.#waitingRows;
  }

  /** Rows that have been through the transform, failed ones included. */
  get transformedRows(): number {
    return this.#transformedRows;
  }

  /** Says how many taken batches are still held, and lets the transform go on accordingly. */
  hold(batches: number): void {
    this.#held = batches;
    this.#fill();
  }

  /** The next batch if it is there: `undefined` if it is not, `null` at the end. */
  peek(): TransformedBatch | null | undefined {
    const next = this.#settled.get(this.#next);
    if (next === undefined) return this.#atEnd();
    if ("error" in next) throw next.error;
    return next.batch;
  }

  /** Takes the batch that was looked at. */
  take({ numRows, failed }: TransformedBatch): void {
    this.#settled.delete(this.#next++);
    this.#waitingRows -= numRows - failed.length;
  }

  /** Fulfilled when there is more to see: the batch that is waited for is let in above the bound. */
  async wait(): Promise<void> {
    this.#fill();
    if (this.#open === 0) this.#call();
    const { runner } = this.#options;
    runner.keepAlive?.(true);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    runner.keepAlive?.(false);
  }

  /** Stops the transform and lets go what waits. */
  close(): void {
    this.#closed = true;
    this.#settled.clear();
    this.#waitingRows = 0;
    this.#options.runner.close();
  }

  #atEnd(): null | undefined {
    this.#fill();
    if (this.#open > 0 || this.#end === undefined) return undefined;
    if ("error" in this.#end) throw this.#end.error;
    return null;
  }

  #fill(): void {
    const { runner, queueDepth } = this.#options;
    const mayCall = () =>
      this.#open < runner.parallelism && this.#open + this.#settled.size + this.#held < queueDepth;
    while (this.#end === undefined && !this.#closed && mayCall()) this.#call();
  }

  #call(): void {
    this.#open++;
    this.#run()
      .catch((error: unknown) => {
        if (this.#end === undefined || !("error" in this.#end)) this.#end = { error };
      })
      .finally(() => {
        this.#open--;
        this.#fill();
        this.#wake?.();
        this.#wake = undefined;
      });
  }

  async #run(): Promise<void> {
    const result = await this.#options.runner.next();
    if (result === null) {
      this.#end ??= {};
      return;
    }
    this.#options.took(result.seconds);
    const settled = await this.#settle(result);
    result.release();
    if (this.#closed) return;
    this.#settled.set(result.sequence, settled);
    this.#transformedRows += result.numRows;
    if ("batch" in settled) this.#waitingRows += result.numRows - settled.batch.failed.length;
  }

  async #settle(result: TransformResult): Promise<Settled> {
    const { sequence, numRows, outcome } = result;
    const from = this.#options.firstRow(sequence);
    try {
      if (!("error" in outcome))
        return { batch: { from, numRows, outputs: acceptOutputs(outcome.outputs, numRows), failed: [] } };
      if (!this.#options.rerun) return { error: this.#failure(from, numRows, outcome.error) };
      const batch = await rerunRows(from, result, {
        failure: (row, cause) => this.#failure(from + row, 1, cause),
        took: this.#options.took,
        isEnded: () => this.#closed,
      });
      return { batch };
    } catch (error) {
      return { error };
    }
  }

  #failure(from: number, numRows: number, cause: unknown): LanceLoaderError {
    const ids = Array.from(this.#options.rowIds(from, numRows));
    const rows =
      ids.length === 1
        ? `the row with id ${ids[0]}`
        : `a batch of ${ids.length} rows, the first with id ${ids[0]}`;
    return transformFailed(rows, cause);
  }
}
