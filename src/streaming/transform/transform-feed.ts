import { EventLoop } from "../event-loop.ts";
import type { Feed, QueueRows, Samples } from "../feed.ts";
import type { EpochEnd } from "./epoch-end.ts";
import { applyPolicy, type OnTransformError } from "./error-policy.ts";
import type { HandOver } from "./hand-over.ts";
import type { Outputs } from "./outputs/outputs.ts";
import type { SplitOrder } from "./split-order.ts";
import type { TransformAhead } from "./transform-ahead.ts";
import type { TransformedBatch } from "./transformed-batch.ts";

/** What a {@link TransformFeed} works with. */
export interface TransformFeedOptions {
  readonly ahead: TransformAhead;
  readonly policy: OnTransformError;
  readonly order: HandOver;
  /** Set where rows may be skipped: the same as `order`. */
  readonly splits: SplitOrder | undefined;
  /** How ranks agree on their end. */
  readonly end: EpochEnd | undefined;
  /** The cycles of the epoch that were handed over of every split before. */
  readonly firstCycle: number;
  /** Rows of the read. */
  readonly totalRows: number;
  /** Samples to give at once: as many as that except at the end; or at most, as many as there are. */
  readonly batchRows: number;
  readonly whole: boolean;
  /** Whether samples before a failure that fill no batch are left out. */
  readonly dropLast: boolean;
}

/** Transformed samples, in order and cut as the consumer wants them. */
export class TransformFeed implements Feed<unknown> {
  readonly #options: TransformFeedOptions;
  /** Where many rows are skipped, or prepared for an agreement, nothing is handed over that would let it turn. */
  readonly #eventLoop = new EventLoop();
  /** Whether all batches of the read have come. */
  #ended = false;
  /** Told once the samples before it were taken. */
  #failure: { readonly error: unknown } | undefined;

  constructor(options: TransformFeedOptions) {
    this.#options = options;
  }

  get waitingRows(): number {
    const { ahead, order } = this.#options;
    return ahead.waitingRows + order.waitingRows;
  }

  queues(unscannedRows: number): QueueRows {
    const { ahead, totalRows } = this.#options;
    // Wherever a raw row is, in the addon or in a call: it was scanned, and is not transformed.
    const raw = totalRows - unscannedRows - ahead.transformedRows;
    return { raw: Math.max(0, raw), waiting: this.waitingRows };
  }

  tryNext(): Samples<unknown> | null | undefined {
    while (!this.#isReady) {
      // Ranks agree when somebody waits for it, and a policy may have to be waited for.
      if (this.#options.end !== undefined) return this.#isOver ? this.#rest() : undefined;
      const batch = this.#peek();
      if (batch === undefined || (batch !== null && batch.failed.length > 0)) return undefined;
      if (batch === null) return this.#rest();
      this.#add(batch);
    }
    return this.#take(this.#options.batchRows);
  }

  async next(): Promise<Samples<unknown> | null> {
    while (!this.#isReady && !this.#isOver) {
      try {
        if (this.#options.end === undefined) await this.#pull();
        else await this.#agree(this.#options.end);
      } catch (error) {
        this.#failure = { error };
      }
    }
    return this.#isReady ? this.#take(this.#options.batchRows) : this.#rest();
  }

  commit(samples: number): void {
    this.#options.order.commit(samples);
  }

  finish(): void {
    this.#options.order.finish();
  }

  close(): void {
    this.#options.ahead.close();
  }

  get #isReady(): boolean {
    const { order, batchRows, whole } = this.#options;
    return order.readyRows >= (whole ? batchRows : 1);
  }

  /** Whether no more samples become ready. */
  get #isOver(): boolean {
    const { end } = this.#options;
    return this.#failure !== undefined || (end === undefined ? this.#ended : end.isFinal);
  }

  #peek(): TransformedBatch | null | undefined {
    if (this.#failure !== undefined) return null;
    try {
      const batch = this.#options.ahead.peek();
      this.#ended = batch === null;
      return batch;
    } catch (error) {
      this.#failure = { error };
      return null;
    }
  }

  /** Adds the next batch, or learns that there is none. */
  async #pull(): Promise<void> {
    const { ahead, policy } = this.#options;
    for (;;) {
      const batch = this.#peek();
      if (batch === null) return;
      if (batch === undefined) await ahead.wait();
      else {
        if (policy !== "raise") await applyPolicy(policy, batch.failed, batch.numRows);
        this.#add(batch);
        this.#eventLoop.count(batch.numRows);
        if (this.#eventLoop.isHeld) await this.#eventLoop.turn();
        return;
      }
    }
  }

  #add(batch: TransformedBatch): void {
    const { ahead, order, splits, end } = this.#options;
    ahead.take(batch);
    order.add(batch);
    if (end === undefined) splits?.release(Number.POSITIVE_INFINITY);
    ahead.hold(order.heldBatches);
  }

  /** Prepares the next stage and agrees with the other ranks on it. */
  async #agree(end: EpochEnd): Promise<void> {
    const { splits, firstCycle } = this.#options;
    if (splits === undefined) return;
    const stageEnd = await end.begin(firstCycle);
    while (splits.completeCycles < stageEnd && !this.#ended) {
      await this.#pull();
      if (this.#failure !== undefined) return;
    }
    splits.release(await end.agree(splits.completeCycles));
  }

  /** What is left before the end or the failure. */
  #rest(): Samples<unknown> | null {
    const { order, dropLast } = this.#options;
    if (order.readyRows > 0 && !dropLast) return this.#take(order.readyRows);
    if (this.#failure !== undefined) throw this.#failure.error;
    return null;
  }

  #take(most: number): Samples<unknown> {
    const { ahead, order } = this.#options;
    const outputs = order.take(Math.min(most, order.readyRows));
    ahead.hold(order.heldBatches);
    return samplesOf(outputs);
  }
}

function samplesOf(outputs: Outputs): Samples<unknown> {
  return { numRows: outputs.numRows, rows: () => outputs.rows(), value: () => outputs.value() };
}
