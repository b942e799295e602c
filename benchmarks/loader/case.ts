import type { Batch, StreamingDataset, StreamingDatasetOptions } from "lance-loader";

/** Something whose cost is measured again and again. */
export interface LoaderCase {
  readonly name: string;
  readonly options: StreamingDatasetOptions;
  /** Rows of a batch of the stream that is read once around before the clock runs; without it nothing is read. */
  readonly batchSize?: number;
  /** What is measured. By default the next batch. */
  step?(stream: Stream): unknown;
}

/** A dataset's batches, epoch after epoch without an end. */
export class Stream {
  readonly dataset: StreamingDataset;
  readonly #batchSize: number;
  #batches: AsyncIterator<Batch, undefined> | undefined;

  constructor(dataset: StreamingDataset, batchSize: number) {
    this.dataset = dataset;
    this.#batchSize = batchSize;
  }

  /** The next batch. */
  async next(): Promise<Batch> {
    for (;;) {
      this.#batches ??= this.dataset.batches(this.#batchSize);
      const { value } = await this.#batches.next();
      if (value !== undefined) return value;
      this.#batches = undefined;
    }
  }
}
