import type { LanceLoaderError } from "../errors.ts";
import { aborted } from "../tables/native-errors.ts";
import type { Feed, QueueRows, Samples } from "./feed.ts";
import type { Progress } from "./progress.ts";

/** What an {@link EpochRead} works on. */
export interface EpochReadOptions<Value> {
  readonly progress: Progress;
  /** Samples of a batch: one with fewer is left out; 0 keeps all. */
  readonly leastRows: number;
  /** Starts to read. */
  start(): Feed<Value>;
  /** Called for samples that were handed over. */
  handedOver(samples: number): void;
  /** Called when the read begins; throws where that is not allowed. */
  opened(read: EpochRead<Value>): void;
  /** Called once when it has ended, also one that could not begin. */
  closed(read: EpochRead<Value>): void;
}

/**
 * One read of the rest of an epoch, begun when the first samples are asked for.
 *
 * Samples are not counted as handed over here: who hands them over says so with `commit`, and with `finish` when the consumer has seen the end.
 */
export class EpochRead<Value = unknown> {
  readonly #options: EpochReadOptions<Value>;
  readonly #abort: () => void;
  #feed: Feed<Value> | undefined;
  #uncounted = 0;
  #closed = false;
  /** Called once when the read is closed, with the reason where it is not its consumer who closes it. */
  onClose: ((reason?: LanceLoaderError) => void) | undefined;

  constructor(options: EpochReadOptions<Value>) {
    this.#options = options;
    // Weakly: a signal that lives on must not keep alive what its consumer has abandoned.
    const read = new WeakRef<EpochRead<Value>>(this);
    const signal = this.#signal;
    this.#abort = () => signal && read.deref()?.close(aborted(signal));
  }

  /** The rows of the read by where they are: see {@link Feed.queues}. */
  queues(unscannedRows: number, rawRows: number, readyRows: number): QueueRows {
    const queues = this.#feed?.queues(unscannedRows, rawRows, readyRows) ?? {
      raw: rawRows,
      waiting: readyRows,
    };
    return { ...queues, waiting: queues.waiting + this.#uncounted };
  }

  /** The next samples if they are there: `undefined` if they are not, `null` at the end. */
  tryNext(): Samples<Value> | null | undefined {
    const samples = this.#open().tryNext();
    return samples && this.#pass(samples);
  }

  /** The next samples, or `null` at the end. Called again only after its promise has settled. */
  async next(): Promise<Samples<Value> | null> {
    const samples = await this.#open().next();
    return samples && this.#pass(samples);
  }

  /** Counts samples as handed over. */
  commit(samples: number): void {
    this.#uncounted -= samples;
    this.#feed?.commit(samples);
    this.#options.handedOver(samples);
  }

  /** The consumer has seen the end: the dataset moves on to the next epoch. */
  finish(): void {
    this.#feed?.finish();
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
    this.#feed?.close();
    this.#options.closed(this);
    this.onClose?.(reason);
  }

  get #signal(): AbortSignal | undefined {
    return this.#options.progress.signal;
  }

  #open(): Feed<Value> {
    if (this.#feed !== undefined) return this.#feed;
    const signal = this.#signal;
    this.#options.opened(this);
    if (signal?.aborted) throw aborted(signal);
    this.#feed = this.#options.start();
    signal?.addEventListener("abort", this.#abort, { once: true });
    return this.#feed;
  }

  #pass(samples: Samples<Value>): Samples<Value> | null {
    if (samples.numRows < this.#options.leastRows) return null;
    this.#uncounted += samples.numRows;
    return samples;
  }
}
