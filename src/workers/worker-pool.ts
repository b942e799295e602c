import { WorkerThread } from "./worker-thread.ts";

/** Ends the threads of pools that were let go without `close()`. */
const abandoned = new FinalizationRegistry<Set<WorkerThread>>((threads) => {
  for (const thread of threads) void thread.terminate();
});

/**
 * The worker threads of a transform module.
 *
 * They are started when a read first asks for them, are kept for the reads after it, and end with `close()` or when the pool is collected.
 */
export class WorkerPool {
  readonly #module: string;
  readonly #threads = new Set<WorkerThread>();

  /** @param module - a URL or a package specifier. */
  constructor(module: string) {
    this.#module = module;
    abandoned.register(this, this.#threads);
  }

  /** `size` threads for one read, which ends with their `end()`: idle ones, and new ones where there are too few. */
  acquire(size: number): WorkerThread[] {
    const idle: WorkerThread[] = [];
    for (const thread of this.#threads) {
      if (thread.isDead) this.#threads.delete(thread);
      else if (thread.isIdle) idle.push(thread);
    }
    // There are too many after a read by more, or where threads that were slow to end their last read were replaced.
    for (const surplus of idle.splice(size)) void surplus.terminate();
    while (idle.length < size) {
      const thread = new WorkerThread(this.#module);
      this.#threads.add(thread);
      idle.push(thread);
    }
    return idle;
  }

  /** Ends all threads; fulfilled when they are gone. Closing again changes nothing. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
    this.#threads.clear();
  }
}
