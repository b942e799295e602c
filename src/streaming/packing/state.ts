import { LanceLoaderError } from "../../errors.ts";
import { loadBinding } from "../../native.ts";
import { native } from "../../tables/native-errors.ts";
import type { CheckedState, StateDict } from "../state.ts";

/** How documents are laid into blocks, as a state tells it. */
export type PackingMode =
  | "concat"
  | { readonly best_fit: { readonly look_ahead: number; readonly long_documents: string } };

/** What packing adds to a state. All but `packing` and `pack_counts` are keys of LanceDB's Python loader. */
export interface PackingState {
  /** Tokens of a block. */
  readonly pack_sequences?: number;
  /** The token behind each document; a decimal string beyond 2^53 - 1. */
  readonly eos_id?: number | string;
  /** The token of padding. */
  readonly pad_id?: number | string;
  /** Blocks of an epoch over all splits. */
  readonly blocks_per_epoch?: number;
  /** Blocks that each split has handed over. */
  readonly blocks_emitted_per_split?: readonly number[];
  /** By split: the tokens of consumed documents that no block holds yet, and where documents start in them. */
  readonly pack_buffers?: Readonly<
    Record<string, { readonly tokens: readonly (number | string)[]; readonly starts: readonly number[] }>
  >;
  /** How documents are laid into blocks. */
  readonly packing?: PackingMode;
  /** What the blocks of each split held, for statistics. */
  readonly pack_counts?: readonly Readonly<Record<string, number>>[];
}

/** A state as the core reads it. */
export function packingJson({ fields, samples }: CheckedState): string {
  return JSON.stringify({ ...fields, samples_consumed_per_split: samples });
}

/** Runs a check of a state in the core, whose complaints about arguments are complaints about the state. */
export function checkingState<Result>(code: "STATE_INVALID" | "STATE_MISMATCH", check: () => Result): Result {
  try {
    return native(check);
  } catch (cause) {
    if (!(cause instanceof LanceLoaderError) || cause.code !== "INVALID_ARGUMENT") throw cause;
    throw new LanceLoaderError(code, `The state does not fit this packing: ${cause.message}`, { cause });
  }
}

/**
 * The packing part of the states of all ranks as one.
 *
 * @throws {@link LanceLoaderError} `STATE_INVALID`, and `STATE_MISMATCH` where they are not all of one global step.
 */
export function mergePackingStates(states: readonly CheckedState[]): StateDict {
  const texts = states.map(packingJson);
  return JSON.parse(checkingState("STATE_MISMATCH", () => loadBinding().mergePackingStates(texts)));
}
