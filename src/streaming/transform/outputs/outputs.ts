import type { Batch } from "../../../arrow/batch.ts";

/** Outputs of consecutive samples, in one of the forms in which a transform may give them. */
export interface Outputs {
  /** The form, for messages. */
  readonly form: string;
  readonly numRows: number;
  /** Those from `start` to before `end`, as a view where the form allows it. */
  slice(start: number, end: number): Outputs;
  /**
   * These and the outputs of the same form behind them.
   *
   * @throws {@link LanceLoaderError} `TRANSFORM_FAILED` where their columns do not go together.
   */
  join(others: readonly Outputs[]): Outputs;
  /** One sample for each row. */
  rows(): readonly unknown[];
  /** What a batch of them is handed over as. */
  value(): Batch | readonly unknown[];
}
