import { show } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";

/**
 * What happens to rows whose transform fails: the loop fails, they are left out, they are left out with one warning for each failing batch, or a
 * function decides for each of them: `true` leaves it out, `false` fails. It may answer later.
 */
export type OnTransformError =
  | "raise"
  | "skip"
  | "warn"
  | ((error: LanceLoaderError) => boolean | Promise<boolean>);

/** A row whose transform failed when it was given alone. */
export interface FailedRow {
  /** Its index in the batch. */
  readonly row: number;
  readonly error: LanceLoaderError;
}

/** The error of a transform that failed for `rows`, which says what the transform threw. */
export function transformFailed(rows: string, cause: unknown): LanceLoaderError {
  const message = cause instanceof Error ? cause.message : show(cause);
  return new LanceLoaderError("TRANSFORM_FAILED", `transform failed for ${rows}: ${message}`, { cause });
}

/**
 * Asks the policy about the failed rows of one batch, in their order.
 *
 * @throws the error of the first row that is not to be left out, and `TRANSFORM_FAILED` where the function that decides fails itself.
 */
export async function applyPolicy(
  policy: Exclude<OnTransformError, "raise">,
  failed: readonly FailedRow[],
  numRows: number,
): Promise<void> {
  const [first] = failed;
  if (first === undefined || policy === "skip") return;
  if (policy === "warn") {
    process.emitWarning(
      `${failed.length} of ${numRows} rows of a batch are left out. The first: ${first.error.message}`,
      { type: "LanceLoaderWarning", code: "LANCE_LOADER_ROWS_SKIPPED" },
    );
    return;
  }
  for (const { error } of failed) {
    if (!(await decide(policy, error))) throw error;
  }
}

async function decide(
  policy: (error: LanceLoaderError) => boolean | Promise<boolean>,
  error: LanceLoaderError,
): Promise<boolean> {
  let answer: unknown;
  try {
    answer = await policy(error);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : show(cause);
    throw new LanceLoaderError(
      "TRANSFORM_FAILED",
      `onTransformError failed: ${message}. It was asked about: ${error.message}`,
      {
        cause,
      },
    );
  }
  if (typeof answer === "boolean") return answer;
  throw new LanceLoaderError(
    "TRANSFORM_FAILED",
    `onTransformError gave ${show(answer)}: it must give true to leave the row out, or false to fail. It was asked about: ${error.message}`,
    { cause: error.cause },
  );
}
