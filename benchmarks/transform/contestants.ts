import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type Batch, StreamingDataset } from "lance-loader";
import type { BareTask } from "./bare-worker.ts";
import transform from "./module.ts";

/** Rows of a batch. */
export const batchRows = 64;

/** The mean and the most of what was seen. */
interface Depth {
  readonly mean: number;
  readonly most: number;
}

/** What an epoch came to. */
export interface Epoch {
  /** The sum of all outputs: the same for everybody who works on all rows. */
  readonly sum: number;
  /** Rows that were read and wait for the transform, and that are in it or wait behind it, whenever a batch came. */
  readonly depths?: { readonly raw: Depth; readonly transformed: Depth };
}

/** Something that works on all rows, as often as it is asked. */
export interface Contestant {
  epoch(): Promise<Epoch>;
  close(): Promise<void>;
}

/** Threads without the library, each with its share of the rows in its memory. */
export async function bareThreads(rows: number, threads: number): Promise<Contestant> {
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL("./bare-worker.ts", import.meta.url)),
  );
  const share = Math.ceil(rows / batchRows / threads) * batchRows;
  const epoch = async (): Promise<Epoch> => {
    const sums = workers.map(async (worker, at) => {
      const length = Math.min(share, rows - at * share);
      const ids = Int32Array.from({ length }, (_, row) => at * share + row);
      worker.postMessage({ ids, batchRows } satisfies BareTask);
      const [sum] = (await once(worker, "message")) as [number];
      return sum;
    });
    return { sum: (await Promise.all(sums)).reduce((total, sum) => total + sum, 0) };
  };
  const close = async () => {
    await Promise.all(workers.map((worker) => worker.terminate()));
  };
  return { epoch, close };
}

/** The library, with the module in worker threads or, for comparison, the function on the main thread. */
export async function withLibrary(table: string, threads: number | "main"): Promise<Contestant> {
  const where =
    threads === "main"
      ? { transform }
      : { transform: new URL("./module.ts", import.meta.url), transformParallelism: threads };
  const dataset = await StreamingDataset.open(table, where);
  const epoch = async (): Promise<Epoch> => {
    const [raw, transformed] = [new DepthMeter(), new DepthMeter()];
    let sum = 0;
    for await (const batch of dataset.batches(batchRows)) {
      for (const value of (batch as Batch).column("worked")) sum += Number(value);
      const { rawQueueDepth, prefetchQueueDepth } = dataset.stats;
      raw.add(rawQueueDepth);
      transformed.add(prefetchQueueDepth);
    }
    return { sum, depths: { raw: raw.read(), transformed: transformed.read() } };
  };
  return { epoch, close: () => dataset.close() };
}

class DepthMeter {
  #count = 0;
  #sum = 0;
  #most = 0;

  add(depth: number): void {
    this.#count++;
    this.#sum += depth;
    this.#most = Math.max(this.#most, depth);
  }

  read(): Depth {
    return { mean: this.#sum / this.#count, most: this.#most };
  }
}
