import type { Schema } from "apache-arrow";
import { Batch } from "../arrow/batch.ts";
import type { NativeBatch } from "../arrow/layout.ts";
import { LanceLoaderError } from "../errors.ts";
import { fromNative, native } from "./native-errors.ts";

/** Where batches come from: a running read of the addon. */
export interface BatchSource {
  /** The batches that are ready, about `maxRows` rows at most; none while there is none, `null` at the end. */
  take(maxRows: number): NativeBatch[] | null;
  /** Fulfilled when `take` has something to say. */
  wait(): Promise<void>;
  /** An id by which worker threads attach to the read and take its batches; packed reads have none. */
  share?(): number;
  /** Ends the read. */
  close(): void;
}

/** Bytes of gathered batches that may wait in the addon. */
export const readyBytes = 4 * 2 ** 20;

/** The most rows that one call of the addon brings over by default. */
const defaultRowsPerCall = 8192;

/**
 * Reads the batches of a pipeline in plan order.
 *
 * One call of the addon brings all the batches that are ready, so that small batches do not cost a crossing each. `next` is called
 * again only after its promise has settled.
 */
export class BatchReader {
  readonly #pipeline: BatchSource;
  readonly #schema: Schema;
  readonly #rowsPerCall: number;
  #waiting: Batch[] = [];
  #at = 0;
  #closed = false;

  /** @param rowsPerCall - the most rows that one call of the addon brings over, unless one batch has more. */
  constructor(pipeline: BatchSource, schema: Schema, rowsPerCall = defaultRowsPerCall) {
    this.#pipeline = pipeline;
    this.#schema = schema;
    this.#rowsPerCall = rowsPerCall;
  }

  /** The rows that have crossed and were not read yet. */
  get waitingRows(): number {
    let rows = 0;
    for (let at = this.#at; at < this.#waiting.length; at++) rows += this.#waiting[at]?.numRows ?? 0;
    return rows;
  }

  /** The next batch if it is there: `undefined` if it is not, `null` at the end. */
  tryNext(): Batch | null | undefined {
    if (this.#closed) throw new LanceLoaderError("CLOSED", "The iterator is closed: start another one.");
    const waiting = this.#waiting[this.#at];
    if (waiting !== undefined) {
      this.#at++;
      return waiting;
    }
    const batches = native(() => this.#pipeline.take(this.#rowsPerCall));
    if (batches === null) return null;
    this.#waiting = batches.map((batch) => Batch.fromNative(this.#schema, batch));
    this.#at = 0;
    return this.#waiting[this.#at++];
  }

  /** The next batch, or `null` at the end. */
  async next(): Promise<Batch | null> {
    for (;;) {
      const batch = this.tryNext();
      if (batch !== undefined) return batch;
      try {
        await this.#pipeline.wait();
      } catch (error) {
        throw fromNative(error);
      }
    }
  }

  /** Stops the reads and lets the memory go; a pending `next` rejects. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#at = 0;
    this.#pipeline.close();
  }
}
