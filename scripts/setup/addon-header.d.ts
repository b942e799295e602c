// Made by the build from crates/node: changes here are lost.

/** One batch, as the addon hands it over: see docs/design/batch-layout.md. */
export interface NativeBatch {
  /** The number of rows. */
  readonly numRows: number;
  /** Every Arrow buffer of every column. */
  readonly data: ArrayBuffer;
  /** The columns depth first: lengths, null counts, and where the buffers lie. */
  readonly layout: Float64Array;
}
