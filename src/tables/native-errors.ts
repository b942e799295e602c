import { type ErrorCode, errorCodes, LanceLoaderError } from "../errors.ts";

/** Runs a call of the addon; what it throws becomes a {@link LanceLoaderError}. */
export function native<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}

/** An error of the addon as a {@link LanceLoaderError} with the addon's code and cause; other errors as they are. */
export function fromNative(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof LanceLoaderError) return error;
  const { code } = error as { code?: unknown };
  if (!errorCodes.includes(code as ErrorCode)) return error;
  return new LanceLoaderError(
    code as ErrorCode,
    error.message,
    error.cause === undefined ? undefined : { cause: error.cause },
  );
}

/** The error of what was ended by a signal; the signal's reason is its cause. */
export function aborted(signal: AbortSignal, what = "The read"): LanceLoaderError {
  return new LanceLoaderError("ABORTED", `${what} was ended by its signal.`, { cause: signal.reason });
}
