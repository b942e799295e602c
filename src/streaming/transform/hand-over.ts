import type { Outputs } from "./outputs/outputs.ts";
import type { TransformedBatch } from "./transformed-batch.ts";

/** Transformed batches, which come in plan order, on their way to the consumer, who gets them in the order of samples. */
export interface HandOver {
  /** Samples that can be taken. */
  readonly readyRows: number;
  /** Samples that were added and not taken. */
  readonly waitingRows: number;
  /** Batches of which samples were not taken yet. */
  readonly heldBatches: number;
  add(batch: TransformedBatch): void;
  /**
   * Takes the next `rows` samples, from 1 to `readyRows`.
   *
   * @throws {@link LanceLoaderError} `TRANSFORM_FAILED` where outputs of several batches do not go together.
   */
  take(rows: number): Outputs;
  /** Counts samples that were taken as handed over. */
  commit(samples: number): void;
  /** The consumer has seen the end. */
  finish(): void;
}
