import type { LanceLoaderError } from "../errors.ts";
import type { EpochRead } from "./epoch-read.ts";
import { EventLoop } from "./event-loop.ts";
import { Turns } from "./turns.ts";

/** What is handed over, and the samples that it is made of. */
export interface Handed<Output> {
  readonly value: Output;
  readonly samples: number;
}

/** Makes what is handed over from the batches of an {@link EpochRead}. */
export interface Stage<Output> {
  /** The next output if it is there: `undefined` if it is not, `null` at the end. */
  tryNext(): Handed<Output> | null | undefined;
  /** The next output, or `null` at the end. Called again only after its promise has settled. */
  next(): Promise<Handed<Output> | null>;
}

/** An iteration over the rest of an epoch, once. Leaving its loop, `return()`, `await using` or an abort stops the reads. */
export interface EpochStream<Output> extends AsyncIterableIterator<Output, undefined>, AsyncDisposable {
  /** Ends the iteration: calls of `next()` that wait are done. Ending it again changes nothing. */
  return(): Promise<IteratorResult<Output, undefined>>;
  /** This iteration itself. */
  [Symbol.asyncIterator](): EpochStream<Output>;
}

type Result<Output> = IteratorResult<Output, undefined>;

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The iteration protocol over a stage. What is handed over, and only that, counts as consumed. */
export class EpochIterator<Output> implements EpochStream<Output> {
  readonly #read: EpochRead;
  readonly #stage: Stage<Output>;
  readonly #turns = new Turns();
  readonly #eventLoop = new EventLoop();
  #ended = false;
  /** Why the read was closed by somebody else: told by the call that waits, or else by the next one. */
  #reason: LanceLoaderError | undefined;
  /** Settles the call that waits. */
  #interrupt: ((error?: unknown) => void) | undefined;

  constructor(read: EpochRead, stage: Stage<Output>) {
    this.#read = read;
    this.#stage = stage;
    read.onClose = (reason) => {
      this.#reason = reason;
      this.#interrupt?.(reason);
    };
  }

  next(): Promise<Result<Output>> {
    // Calls that do not wait for each other are answered in order.
    const ready = this.#turns.busy ? undefined : this.#ready();
    return ready ?? this.#turns.take(() => this.#ready() ?? this.#wait());
  }

  async return(): Promise<Result<Output>> {
    this.#end();
    return done;
  }

  [Symbol.asyncIterator](): EpochStream<Output> {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** The quick way, without waiting: `undefined` where nothing is there yet. */
  #ready(): Promise<Result<Output>> | undefined {
    if (this.#ended) return Promise.resolve(done);
    try {
      if (this.#reason !== undefined) throw this.#reason;
      if (this.#eventLoop.isHeld) return undefined;
      const output = this.#stage.tryNext();
      return output === undefined ? undefined : Promise.resolve(this.#handOver(output));
    } catch (error) {
      this.#end();
      return Promise.reject(error);
    }
  }

  #wait(): Promise<Result<Output>> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        this.#interrupt = undefined;
        // Who ended the iteration while it waited knows that it is over.
        if (this.#ended) return resolve(done);
        this.#end();
        reject(error);
      };
      this.#interrupt = fail;
      const succeed = (output: Handed<Output> | null) => {
        this.#interrupt = undefined;
        resolve(this.#handOver(output));
      };
      this.#next().then(succeed).catch(fail);
    });
  }

  async #next(): Promise<Handed<Output> | null> {
    if (this.#eventLoop.isHeld) {
      await this.#eventLoop.turn();
      if (this.#ended) return null;
    }
    return await this.#stage.next();
  }

  #handOver(output: Handed<Output> | null): Result<Output> {
    if (this.#ended) return done;
    if (output === null) {
      this.#read.finish();
      this.#ended = true;
      return done;
    }
    this.#read.commit(output.samples);
    this.#eventLoop.count(output.samples);
    return { done: false, value: output.value };
  }

  #end(): void {
    this.#ended = true;
    this.#read.close();
  }
}
