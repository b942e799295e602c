import type { LanceLoaderError } from "../../errors.ts";
import type { FailedRow } from "./error-policy.ts";
import { acceptOutputs } from "./outputs/accept-outputs.ts";
import { joinOutputs } from "./outputs/join-outputs.ts";
import type { Outputs } from "./outputs/outputs.ts";
import type { TransformResult } from "./runner.ts";

/** A raw batch behind its transform. */
export interface TransformedBatch {
  /** The number of its first row in the plan. */
  readonly from: number;
  /** Its rows, failed ones included. */
  readonly numRows: number;
  /** Those of the rows that did not fail; `undefined` where all did. */
  readonly outputs: Outputs | undefined;
  readonly failed: readonly FailedRow[];
}

/** How the rows of a failed batch are run again. */
export interface Rerun {
  /** The error of a row. */
  failure(row: number, cause: unknown): LanceLoaderError;
  /** Counts what a call took. */
  took(seconds: number): void;
  /** Whether nobody waits for the outputs any more. */
  isEnded(): boolean;
}

/**
 * Gives the rows of a batch that failed to the transform one by one.
 *
 * @throws {@link LanceLoaderError} `TRANSFORM_FAILED` where outputs are none, or not one for the row.
 */
export async function rerunRows(
  from: number,
  result: TransformResult,
  { failure, took, isEnded }: Rerun,
): Promise<TransformedBatch> {
  const { numRows, outcome } = result;
  const failed: FailedRow[] = [];
  const outputs: Outputs[] = [];
  for (let row = 0; row < numRows && !isEnded(); row++) {
    // A batch of one row was given to the transform alone already.
    const again = numRows === 1 ? { seconds: 0, outcome } : await result.rerun(row);
    took(again.seconds);
    if ("error" in again.outcome) failed.push({ row, error: failure(row, again.outcome.error) });
    else outputs.push(acceptOutputs(again.outcome.outputs, 1));
  }
  return { from, numRows, outputs: outputs.length === 0 ? undefined : joinOutputs(outputs), failed };
}
