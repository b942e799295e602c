import { Worker } from "node:worker_threads";
import { LanceLoaderError } from "../errors.ts";
import type { Call, Notice, Reply, TransformCall } from "./messages.ts";
import { unpackError } from "./packed-error.ts";

/** What tools call the threads; Linux shows 15 letters. */
const threadName = "lance-transform";

/** The milliseconds for which a transform may go on after its read has ended. */
const graceMilliseconds = 1000;

/** A worker's code. `import` in it finds packages as the application's working directory does, not as this library's folder. */
const program = (entry: string) =>
  `import(${JSON.stringify(entry)}).then(({ serve }) => serve((module) => import(module)));`;

interface Pending {
  readonly resolve: (called: TransformCall | null) => void;
  readonly reject: (error: unknown) => void;
}

/** A worker thread that runs a transform module, for one read at a time. It does not keep the process alive unless it is told to. */
export class WorkerThread {
  readonly #module: string;
  readonly #worker: Worker;
  /** Calls that were not answered, those of reads that have ended included. */
  readonly #pending = new Map<number, Pending>();
  #lastCall = 0;
  #read: number | undefined;
  #grace: NodeJS.Timeout | undefined;
  #cause: unknown;
  #ended: LanceLoaderError | undefined;

  /** @param module - a URL or a package specifier. */
  constructor(module: string) {
    this.#module = module;
    // Both `src/` (tests) and `dist/` (users) have the entry beside this file.
    const entry = new URL(import.meta.url.replace(/[^/]+(\.[jt]s)$/, "entry$1"));
    this.#worker = new Worker(program(entry.href), { eval: true, name: threadName, workerData: module });
    this.#worker.on("message", (reply: Reply) => this.#settle(reply));
    this.#worker.on("error", (error) => {
      this.#cause = error;
    });
    this.#worker.on("exit", (code) => this.#exited(code));
    this.#worker.unref();
  }

  /** Whether it has ended. */
  get isDead(): boolean {
    return this.#ended !== undefined;
  }

  /** Whether it can be used for another read. */
  get isIdle(): boolean {
    return !this.isDead && this.#read === undefined && this.#pending.size === 0;
  }

  /** Calls that were not answered. */
  get calls(): number {
    return this.#pending.size;
  }

  /** Begins a read: of the pipeline that was shared under the id `read`. */
  begin(read: number, epoch: number): void {
    this.#read = read;
    this.#notify({ kind: "begin", read, epoch });
  }

  /**
   * Takes the next batch and transforms it; `null` where there is none.
   *
   * @throws {@link LanceLoaderError} What the reading of the batch failed with, or `WORKER_FAILED`.
   */
  batch(): Promise<TransformCall | null> {
    return this.#call((id, read) => ({ kind: "batch", id, read }));
  }

  /** Transforms one row of a batch whose transform threw here; `null` where the read has ended. Fails as {@link WorkerThread.batch} does. */
  row(sequence: number, row: number): Promise<TransformCall | null> {
    return this.#call((id, read) => ({ kind: "row", id, read, sequence, row }));
  }

  /** Lets a batch go whose transform threw here. */
  release(sequence: number): void {
    if (this.#read !== undefined) this.#notify({ kind: "release", read: this.#read, sequence });
  }

  /** Says whether the thread keeps the process alive. */
  keepAlive(does: boolean): void {
    if (does) this.#worker.ref();
    else this.#worker.unref();
  }

  /** Ends the read. A transform that goes on for long after it is ended with its thread. */
  end(): void {
    if (this.#read === undefined) return;
    this.#notify({ kind: "end", read: this.#read });
    this.#read = undefined;
    this.keepAlive(false);
    if (this.#pending.size > 0)
      this.#grace = setTimeout(() => void this.terminate(), graceMilliseconds).unref();
  }

  /** Ends the thread, whatever it does. Fulfilled when it is gone. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #call(callOf: (id: number, read: number) => Call): Promise<TransformCall | null> {
    const read = this.#read;
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (read === undefined) return Promise.resolve(null);
    const id = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage(callOf(id, read));
    });
  }

  #notify(notice: Notice): void {
    this.#worker.postMessage(notice);
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) clearTimeout(this.#grace);
    if (reply.kind === "called") pending?.resolve(reply);
    else if (reply.kind === "end") pending?.resolve(null);
    else pending?.reject(unpackError(reply.error));
  }

  #exited(code: number): void {
    clearTimeout(this.#grace);
    this.#ended = this.#failure(code);
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }

  #failure(code: number): LanceLoaderError {
    const cause = this.#cause;
    const how =
      cause === undefined
        ? `ended with exit code ${code}`
        : `failed: ${cause instanceof Error ? cause.message : String(cause)}`;
    return new LanceLoaderError(
      "WORKER_FAILED",
      `A worker thread of the transform module ${this.#module} ${how}. The state is that of what was handed over: a new loop goes on from there.`,
      cause === undefined ? undefined : { cause },
    );
  }
}
