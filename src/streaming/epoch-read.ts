import type { Batch } from "../arrow/batch.ts";
import { BatchReader } from "./batch-reader.ts";
import type { Progress } from "./progress.ts";

/** What an {@link EpochRead} works on. */
export interface EpochReadOptions {
  readonly progress: Progress;
  readonly batchRows: number;
  /** Whether a last batch with fewer rows is left out. */
  readonly dropLast: boolean;
  /** Called when the read begins; throws where that is not allowed. */
  opened(read: EpochRead): void;
  /** Called when it has ended. */
  closed(read: EpochRead): void;
}

/**
 * One read of the rest of an epoch, begun when the first batch is asked for.
 *
 * Batches are not counted as handed over here: who hands them over says so with `commit`, and with `finish` when the consumer has seen the end.
 */
export class EpochRead {
  readonly #options: EpochReadOptions;
  #reader: BatchReader | undefined;
  #uncounted = 0;
  #closed = false;

  constructor(options: EpochReadOptions) {
    this.#options = options;
  }

  /** The signal that ends the read. */
  get signal(): AbortSignal | undefined {
    return this.#options.progress.signal;
  }

  /** Rows that have crossed from the addon and were not handed over yet. */
  get waitingRows(): number {
    return this.#uncounted + (this.#reader?.waitingRows ?? 0);
  }

  /** The next batch if it is there: `undefined` if it is not, `null` at the end. */
  tryNext(): Batch | null | undefined {
    const batch = this.#open().tryNext();
    return batch && this.#pass(batch);
  }

  /** The next batch, or `null` at the end. Called again only after its promise has settled. */
  async next(): Promise<Batch | null> {
    const batch = await this.#open().next();
    return batch && this.#pass(batch);
  }

  /** Counts samples of the batches as handed over. */
  commit(samples: number): void {
    this.#uncounted -= samples;
    this.#options.progress.commit(samples);
  }

  /** The consumer has seen the end: the dataset moves on to the next epoch. */
  finish(): void {
    this.close();
    const { progress } = this.#options;
    progress.begin(progress.epoch + 1);
  }

  /** Stops the read and lets its memory go. Closing again changes nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#uncounted = 0;
    this.#reader?.close();
    if (this.#reader !== undefined) this.#options.closed(this);
  }

  #open(): BatchReader {
    if (this.#reader !== undefined) return this.#reader;
    const { progress, batchRows } = this.#options;
    this.#options.opened(this);
    this.#reader = new BatchReader(progress.read(batchRows), progress.table.schema, progress.signal);
    return this.#reader;
  }

  #pass(batch: Batch): Batch | null {
    const { batchRows, dropLast } = this.#options;
    if (dropLast && batch.numRows < batchRows) return null;
    this.#uncounted += batch.numRows;
    return batch;
  }
}
