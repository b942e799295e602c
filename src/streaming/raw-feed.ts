import type { Batch } from "../arrow/batch.ts";
import { BatchReader } from "../tables/batch-reader.ts";
import type { Feed, QueueRows, Samples } from "./feed.ts";
import type { Progress } from "./progress.ts";

/** The rows of a read as they are. */
export class RawFeed implements Feed<Batch> {
  readonly #progress: Progress;
  readonly #reader: BatchReader;

  constructor(progress: Progress, batchRows: number) {
    this.#progress = progress;
    this.#reader = new BatchReader(progress.read(batchRows).pipeline, progress.schema);
  }

  queues(_: number, rawRows: number, readyRows: number): QueueRows {
    return { raw: rawRows, waiting: readyRows + this.#reader.waitingRows };
  }

  tryNext(): Samples<Batch> | null | undefined {
    const batch = this.#reader.tryNext();
    return batch && samplesOf(batch);
  }

  async next(): Promise<Samples<Batch> | null> {
    const batch = await this.#reader.next();
    return batch && samplesOf(batch);
  }

  commit(samples: number): void {
    this.#progress.commit(samples);
  }

  finish(): void {}

  close(): void {
    this.#reader.close();
  }
}

function samplesOf(batch: Batch): Samples<Batch> {
  return { numRows: batch.numRows, rows: () => batch.rows(), value: () => batch };
}
