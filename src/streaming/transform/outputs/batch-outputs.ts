import { Batch } from "../../../arrow/batch.ts";
import { LanceLoaderError } from "../../../errors.ts";
import type { Outputs } from "./outputs.ts";

/** Outputs as Arrow data. */
export class BatchOutputs implements Outputs {
  readonly form = "Arrow data";
  readonly #batch: Batch;

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  get numRows(): number {
    return this.#batch.numRows;
  }

  slice(start: number, end: number): BatchOutputs {
    return new BatchOutputs(this.#batch.slice(start, end));
  }

  join(others: readonly BatchOutputs[]): BatchOutputs {
    try {
      return new BatchOutputs(Batch.concat([this.#batch, ...others.map((other) => other.#batch)]));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new LanceLoaderError("TRANSFORM_FAILED", `The outputs of transform can't be joined: ${message}`, {
        cause,
      });
    }
  }

  rows(): readonly unknown[] {
    return this.#batch.rows();
  }

  value(): Batch {
    return this.#batch;
  }
}
