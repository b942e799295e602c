import type { Batch } from "../arrow/batch.ts";
import type { Row } from "../arrow/row-value.ts";
import { LanceLoaderError } from "../errors.ts";
import type { Handed, Stage } from "./epoch-iterator.ts";
import type { EpochRead } from "./epoch-read.ts";

/** Makes what a training step wants from a batch: tensors, feeds, anything. */
export type Collate<Output> = (batch: Batch) => Output | Promise<Output>;

/** Hands over batches as they are. */
export class BatchStage implements Stage<Batch> {
  readonly #read: EpochRead;

  constructor(read: EpochRead) {
    this.#read = read;
  }

  tryNext(): Handed<Batch> | null | undefined {
    const batch = this.#read.tryNext();
    return batch && { value: batch, samples: batch.numRows };
  }

  async next(): Promise<Handed<Batch> | null> {
    const batch = await this.#read.next();
    return batch && { value: batch, samples: batch.numRows };
  }
}

/** Hands over the rows of batches, one by one. */
export class SampleStage implements Stage<Row> {
  readonly #read: EpochRead;
  #rows: readonly Row[] = [];
  #at = 0;

  constructor(read: EpochRead) {
    this.#read = read;
  }

  tryNext(): Handed<Row> | null | undefined {
    const row = this.#rows[this.#at];
    if (row === undefined) return this.#enter(this.#read.tryNext());
    this.#at++;
    return { value: row, samples: 1 };
  }

  async next(): Promise<Handed<Row> | null> {
    for (;;) {
      const row = this.#rows[this.#at] === undefined ? this.#enter(await this.#read.next()) : this.tryNext();
      if (row !== undefined) return row;
    }
  }

  #enter(batch: Batch | null | undefined): Handed<Row> | null | undefined {
    if (!batch) return batch;
    this.#rows = batch.rows();
    this.#at = 0;
    return this.tryNext();
  }
}

/** Collates batches ahead of the consumer: their collates overlap, and are handed over in order. */
export class CollateStage<Output> implements Stage<Output> {
  readonly #read: EpochRead;
  readonly #collate: Collate<Output>;
  readonly #prefetch: number;
  /** Batches whose collate is under way; `null` is the end. */
  readonly #waiting: Promise<Handed<Output> | null>[] = [];
  #ended = false;

  constructor(read: EpochRead, collate: Collate<Output>, prefetch: number) {
    this.#read = read;
    this.#collate = collate;
    this.#prefetch = prefetch;
  }

  /** A collate is always waited for: even a quick one is a promise. */
  tryNext(): undefined {
    return undefined;
  }

  async next(): Promise<Handed<Output> | null> {
    if (this.#waiting.length === 0) this.#begin(await this.#read.next());
    const output = this.#waiting.shift();
    this.#ahead();
    const handed = await output;
    this.#ahead();
    return handed ?? null;
  }

  /** Begins the collates of batches that are there already. */
  #ahead(): void {
    while (!this.#ended && this.#waiting.length < this.#prefetch) {
      try {
        const batch = this.#read.tryNext();
        if (batch === undefined) return;
        this.#begin(batch);
      } catch (error) {
        // A failed read is told when its turn comes, behind the batches before it.
        this.#put(Promise.reject(error));
        this.#ended = true;
      }
    }
  }

  #begin(batch: Batch | null): void {
    if (batch === null) this.#ended = true;
    this.#put(batch === null ? Promise.resolve(null) : this.#run(batch));
  }

  #put(output: Promise<Handed<Output> | null>): void {
    // Nobody may come to ask for it, which is no unhandled rejection.
    output.catch(() => undefined);
    this.#waiting.push(output);
  }

  async #run(batch: Batch): Promise<Handed<Output>> {
    try {
      return { value: await this.#collate(batch), samples: batch.numRows };
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new LanceLoaderError(
        "COLLATE_FAILED",
        `collate failed for a batch of ${batch.numRows} rows: ${message}`,
        { cause },
      );
    }
  }
}
