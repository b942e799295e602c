import type { ArrowTable } from "../../arrow/accept/accept.ts";
import type { Batch } from "../../arrow/batch.ts";
import type { NumericArray } from "../../arrow/dtype.ts";

/** What a transform is told beside its batch. */
export interface TransformContext {
  /** The epoch that the rows are read for. */
  readonly epoch: number;
  /** The row id of each row. Looked up when first asked for. */
  readonly rowIds: BigUint64Array;
  /**
   * A number of 64 bits for each row, a function of the seed, the epoch and the row: random augmentations that draw from it are the same on every
   * topology and after every resume. Computed when first asked for.
   */
  readonly seeds: BigUint64Array;
  /** Aborts when nobody waits for the outputs any more: the loop was left, has failed or was aborted. */
  readonly signal: AbortSignal;
}

/**
 * A column of outputs: an array or a typed array with one value a row, or a dense array of `[rows, ...]` in row-major order, such as a `Tensor` of a
 * batch.
 */
export type OutputColumn =
  | readonly unknown[]
  | NumericArray
  | { readonly data: NumericArray; readonly shape: readonly number[] };

/** Columns of outputs by name, all of one length. */
export interface OutputColumns {
  readonly [name: string]: OutputColumn;
}

/** The outputs for a batch, one a row in the order of the rows: an array, columns, or Arrow data of any supported apache-arrow. */
export type TransformOutput<Sample = unknown> = readonly Sample[] | OutputColumns | ArrowTable | Batch;

/** Makes one output of each row of a batch, at once or later. */
export type Transform<Output extends TransformOutput = TransformOutput> = (
  batch: Batch,
  context: TransformContext,
) => Output | Promise<Output>;

/** A transform whose outputs are an array, with one sample a row. */
export type ArrayTransform<Sample> = (
  batch: Batch,
  context: TransformContext,
) => readonly Sample[] | Promise<readonly Sample[]>;
