import type { Batch } from "../arrow/batch.ts";
import type { LanceLoaderError } from "../errors.ts";
import { BatchReader } from "../tables/batch-reader.ts";
import { aborted } from "../tables/native-errors.ts";
import type { Progress } from "./progress.ts";

/** What an {@link EpochRead} works on. */
export interface EpochReadOptions {
  readonly progress: Progress;
  readonly batchRows: number;
  /** Whether a last batch with fewer rows is left out. */
  readonly dropLast: boolean;
  /** Called when the read begins; throws where that is not allowed. */
  opened(read: EpochRead): void;
  /** Called once when it has ended, also one that could not begin. */
  closed(read: EpochRead): void;
}

/**
 * One read of the rest of an epoch, begun when the first batch is asked for.
 *
 * Batches are not counted as handed over here: who hands them over says so with `commit`, and with `finish` when the consumer has seen the end.
 */
export class EpochRead {
  readonly #options: EpochReadOptions;
  readonly #abort: () => void;
  #reader: BatchReader | undefined;
  #uncounted = 0;
  #closed = false;
  /** Called once when the read is closed, with the reason where it is not its consumer who closes it. */
  onClose: ((reason?: LanceLoaderError) => void) | undefined;

  constructor(options: EpochReadOptions) {
    this.#options = options;
    // Weakly: a signal that lives on must not keep alive what its consumer has abandoned.
    const read = new WeakRef<EpochRead>(this);
    const signal = this.#signal;
    this.#abort = () => signal && read.deref()?.close(aborted(signal));
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

  /**
   * Stops the read and lets its memory go. Closing again changes nothing.
   *
   * @param reason - why, for the consumer, where it is not the consumer who closes.
   */
  close(reason?: LanceLoaderError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#uncounted = 0;
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#reader?.close();
    this.#options.closed(this);
    this.onClose?.(reason);
  }

  get #signal(): AbortSignal | undefined {
    return this.#options.progress.signal;
  }

  #open(): BatchReader {
    if (this.#reader !== undefined) return this.#reader;
    const { progress, batchRows } = this.#options;
    const signal = this.#signal;
    this.#options.opened(this);
    if (signal?.aborted) throw aborted(signal);
    this.#reader = new BatchReader(progress.read(batchRows), progress.schema);
    signal?.addEventListener("abort", this.#abort, { once: true });
    return this.#reader;
  }

  #pass(batch: Batch): Batch | null {
    const { batchRows, dropLast } = this.#options;
    if (dropLast && batch.numRows < batchRows) return null;
    this.#uncounted += batch.numRows;
    return batch;
  }
}
