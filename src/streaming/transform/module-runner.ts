import { LanceLoaderError } from "../../errors.ts";
import { native } from "../../tables/native-errors.ts";
import type { TransformCall } from "../../workers/messages.ts";
import { unpackError } from "../../workers/packed-error.ts";
import { unpackOutput } from "../../workers/packed-output.ts";
import type { WorkerPool } from "../../workers/worker-pool.ts";
import type { WorkerThread } from "../../workers/worker-thread.ts";
import type { RowResult, StartRunner, TransformRead, TransformResult, TransformRunner } from "./runner.ts";

/** The calls of a thread that may be open at once: while one is answered here, the thread is at the next. */
const callsPerThread = 2;

/** Runs the module of a pool. */
export function moduleRunner(pool: WorkerPool): StartRunner {
  return (read) => new ModuleRunner(pool, read);
}

/** Runs a module in worker threads, which take the raw batches of a read for themselves. */
class ModuleRunner implements TransformRunner {
  readonly #pipeline: TransformRead["pipeline"];
  readonly #threads: readonly WorkerThread[];
  #closed = false;

  constructor(pool: WorkerPool, { pipeline, epoch, numWorkers }: TransformRead) {
    this.#pipeline = pipeline;
    const id = native(() => pipeline.share?.());
    if (id === undefined) throw new LanceLoaderError("INTERNAL", "Worker threads can't attach to this read.");
    this.#threads = pool.acquire(numWorkers);
    for (const thread of this.#threads) thread.begin(id, epoch);
  }

  get parallelism(): number {
    return callsPerThread * this.#threads.length;
  }

  async next(): Promise<TransformResult | null> {
    const thread = this.#threads.reduce((least, other) => (other.calls < least.calls ? other : least));
    const call = await this.#call(() => thread.batch());
    if (call === null) return null;
    const { sequence, numRows, outcome } = call;
    return {
      ...resultOf(call),
      sequence,
      numRows,
      rerun: (row) => this.#rerun(thread, sequence, row),
      release: () => {
        // Only batches whose transform threw are kept, until the read ends.
        if (outcome.kind === "threw" && !this.#closed) thread.release(sequence);
      },
    };
  }

  keepAlive(isAwaited: boolean): void {
    // Threads that are being ended keep the process alive until they are gone.
    if (this.#closed) return;
    for (const thread of this.#threads) thread.keepAlive(isAwaited);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pipeline.close();
    for (const thread of this.#threads) thread.end();
  }

  async #rerun(thread: WorkerThread, sequence: number, row: number): Promise<RowResult> {
    const call = await this.#call(() => thread.row(sequence, row));
    if (call === null) throw new LanceLoaderError("CLOSED", "The iterator is closed: start another one.");
    return resultOf(call);
  }

  /** Makes a call; `null` once this runner is closed, whose threads are another one's then. */
  async #call(call: () => Promise<TransformCall | null>): Promise<TransformCall | null> {
    if (this.#closed) return null;
    try {
      return await call();
    } catch (error) {
      if (this.#closed) return null;
      throw error;
    }
  }
}

function resultOf({ seconds, outcome }: TransformCall): RowResult {
  if (outcome.kind === "threw") return { seconds, outcome: { error: unpackError(outcome.error) } };
  return { seconds, outcome: { outputs: unpackOutput(outcome.output) } };
}
