import type { Batch } from "../arrow/batch.ts";
import { LanceLoaderError } from "../errors.ts";
import type { Handed, Stage } from "./epoch-iterator.ts";
import type { EpochRead } from "./epoch-read.ts";
import type { Samples } from "./feed.ts";

/** Makes what a training step wants from a batch: tensors, feeds, anything. */
export type Collate<Output, Input = Batch> = (batch: Input) => Output | Promise<Output>;

/** Hands over batches as they are. */
export class BatchStage<Value> implements Stage<Value> {
  readonly #read: EpochRead<Value>;

  constructor(read: EpochRead<Value>) {
    this.#read = read;
  }

  tryNext(): Handed<Value> | null | undefined {
    const samples = this.#read.tryNext();
    return samples && { value: samples.value(), samples: samples.numRows };
  }

  async next(): Promise<Handed<Value> | null> {
    const samples = await this.#read.next();
    return samples && { value: samples.value(), samples: samples.numRows };
  }
}

/** Hands over samples one by one. */
export class SampleStage<Sample> implements Stage<Sample> {
  readonly #read: EpochRead;
  #rows: readonly Sample[] = [];
  #at = 0;

  /** @param read - of samples of this type. */
  constructor(read: EpochRead) {
    this.#read = read;
  }

  tryNext(): Handed<Sample> | null | undefined {
    if (this.#at === this.#rows.length) return this.#enter(this.#read.tryNext());
    return { value: this.#rows[this.#at++] as Sample, samples: 1 };
  }

  async next(): Promise<Handed<Sample> | null> {
    for (;;) {
      const sample = this.#at === this.#rows.length ? this.#enter(await this.#read.next()) : this.tryNext();
      if (sample !== undefined) return sample;
    }
  }

  #enter(samples: Samples<unknown> | null | undefined): Handed<Sample> | null | undefined {
    if (!samples) return samples;
    this.#rows = samples.rows() as readonly Sample[];
    this.#at = 0;
    return this.tryNext();
  }
}

/** Collates batches ahead of the consumer: their collates overlap, and are handed over in order. */
export class CollateStage<Output, Value> implements Stage<Output> {
  readonly #read: EpochRead<Value>;
  readonly #collate: Collate<Output, Value>;
  readonly #prefetch: number;
  /** Batches whose collate is under way; `null` is the end. */
  readonly #waiting: Promise<Handed<Output> | null>[] = [];
  #ended = false;

  constructor(read: EpochRead<Value>, collate: Collate<Output, Value>, prefetch: number) {
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

  #begin(batch: Samples<Value> | null): void {
    if (batch === null) this.#ended = true;
    this.#put(batch === null ? Promise.resolve(null) : this.#run(batch));
  }

  #put(output: Promise<Handed<Output> | null>): void {
    // Nobody may come to ask for it, which is no unhandled rejection.
    output.catch(() => undefined);
    this.#waiting.push(output);
  }

  async #run(batch: Samples<Value>): Promise<Handed<Output>> {
    const value = batch.value();
    try {
      return { value: await this.#collate(value), samples: batch.numRows };
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
