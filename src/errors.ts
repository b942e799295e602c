/** Every stable code of a {@link LanceLoaderError}. Codes are never renamed; new ones may come. */
export const errorCodes = [
  "INVALID_ARGUMENT",
  "TABLE_NOT_FOUND",
  "VERSION_NOT_FOUND",
  "UNKNOWN_COLUMN",
  "INVALID_FILTER",
  "TOO_FEW_ROWS",
  "UNSUPPORTED_SOURCE",
  "UNSUPPORTED_TYPE",
  "BATCH_TOO_LARGE",
  "ROWS_MISSING",
  "READ_FAILED",
  "WRITE_FAILED",
  "ALREADY_EXISTS",
  "ABORTED",
  "CLOSED",
  "INTERNAL",
  "ITERATOR_OPEN",
  "STATE_INVALID",
  "STATE_MISMATCH",
  "COLLATE_FAILED",
  "TRANSFORM_FAILED",
  "SYNC_FAILED",
  "TOPOLOGY_UNCLEAR",
  "WORKER_FAILED",
  "UNSUPPORTED_PLATFORM",
] as const;

/** One of {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/**
 * Every error that this library throws.
 *
 * `code` is stable and made for programs; `message` names the argument, its value, what is allowed and the way out; `cause` is
 * the error underneath, where there is one.
 */
export class LanceLoaderError extends Error {
  /** `"LanceLoaderError"`. */
  override readonly name = "LanceLoaderError";
  /** The stable code. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
