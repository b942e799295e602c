import type { PackedError } from "./packed-error.ts";
import type { PackedOutput } from "./packed-output.ts";

/** What the main thread tells a worker thread about a read, whose number is the id of its pipeline. */
export type Notice = { readonly read: number } & (
  | { readonly kind: "begin"; readonly epoch: number }
  | { readonly kind: "end" }
  /** Batch `sequence`, whose transform threw, will not be run again. */
  | { readonly kind: "release"; readonly sequence: number }
);

/** What the main thread asks of a worker thread; each is answered by one {@link Reply} with its `id`. */
export type Call = { readonly id: number; readonly read: number } & (
  | { readonly kind: "batch" }
  /** Row `row` of batch `sequence`, whose transform threw, alone. */
  | { readonly kind: "row"; readonly sequence: number; readonly row: number }
);

/** What a transform returned or threw. */
export type PackedOutcome =
  | { readonly kind: "returned"; readonly output: PackedOutput }
  | { readonly kind: "threw"; readonly error: PackedError };

/** A call of a transform. */
export interface TransformCall {
  /** The batch's number among those of its read, from 0. */
  readonly sequence: number;
  readonly numRows: number;
  /** Seconds that the call took. */
  readonly seconds: number;
  readonly outcome: PackedOutcome;
}

/** The answer to a {@link Call}. */
export type Reply = { readonly id: number } & (
  | ({ readonly kind: "called" } & TransformCall)
  /** There are no more batches. */
  | { readonly kind: "end" }
  /** The transform could not be called. */
  | { readonly kind: "failed"; readonly error: PackedError }
);
