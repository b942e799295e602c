import { show } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import type { LengthGroupsState } from "./lengths/options.ts";
import { isLengthGroupsState } from "./lengths/options.ts";
import { maxSplits } from "./max-splits.ts";
import type { MixtureState } from "./mixture/state.ts";
import type { PackingState } from "./packing/state.ts";

/** The version of the form of a state. */
export const stateFormat = 1;

/**
 * Where an epoch stands: plain JSON, to be saved beside the model.
 *
 * The first five keys are those of LanceDB's Python loader, which reads them.
 */
export interface StateDict extends PackingState {
  /** The seed; a decimal string above 2^53 - 1. */
  readonly shuffle_seed: number | string;
  /** The number of splits. */
  readonly num_splits: number;
  /** The epoch. */
  readonly epoch: number;
  /** Samples of each split that were handed over, in packing the documents that were consumed; one number stands for all splits. For splits that this rank does not own, the least that it knows. */
  readonly samples_consumed_per_split: readonly number[] | number;
  /** Positions of each split that were passed: as many as samples, where no row was skipped. */
  readonly positions_consumed_per_split?: readonly number[];
  /** The version of this form. */
  readonly format?: number;
  /** The version of the order algorithm. */
  readonly order_version?: number;
  /** A digest of the table's data files. */
  readonly table_identity?: string;
  /** The version of the table. */
  readonly table_version?: number;
  /** The branch of the table, `null` for main. */
  readonly table_branch?: string | null;
  /** Whether the rows are shuffled. */
  readonly shuffle?: boolean;
  /** Rows of a run that the shuffle keeps together. */
  readonly shuffle_clump_size?: number;
  /** What happens to rows that are left over. */
  readonly remainder?: "drop" | "keep";
  /** The filter, `null` without one. */
  readonly filter?: string | null;
  /** A digest of the permutation and the view of it that is streamed, `null` without one. */
  readonly permutation?: string | null;
  /** The configuration of the builder that makes the splits, `null` without one. */
  readonly split_strategy?: string | null;
  /** With a mixture: its weights and its datasets. */
  readonly mixture?: MixtureState;
  /** Inside of the look-ahead of batches that are grouped by length: how they are grouped. The samples are then counted in that order. */
  readonly length_groups?: LengthGroupsState;
  /** The first split whose progress this state knows exactly, and the one behind the last. */
  readonly owned_splits?: readonly [number, number];
}

/** A state whose form was checked. */
export interface CheckedState {
  readonly seed: bigint;
  readonly numSplits: number;
  readonly epoch: number;
  readonly samples: readonly number[];
  readonly positions: readonly number[];
  readonly owned: readonly [number, number];
  readonly fields: StateDict;
}

/** A seed as a state tells it. */
export function seedOf(seed: bigint): number | string {
  return seed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : seed.toString();
}

/** The error for a state that is no state. */
export function badState(field: string, value: unknown, allowed: string): LanceLoaderError {
  return new LanceLoaderError(
    "STATE_INVALID",
    `The state's ${field} is ${show(value)}: it must be ${allowed}.`,
  );
}

/** Refuses a state one of whose fields is of another run; a field that it lacks is not compared. */
export function mismatch(field: string, theirs: unknown, ours: unknown, way?: string): void {
  if (theirs === undefined || theirs === ours) return;
  throw new LanceLoaderError(
    "STATE_MISMATCH",
    `The state is of another run: its ${field} is ${show(theirs)}, this dataset's is ${show(ours)}.${way === undefined ? "" : ` ${way}.`}`,
  );
}

/**
 * Checks the form of a state.
 *
 * @throws {@link LanceLoaderError} `STATE_INVALID`.
 */
export function checkState(state: unknown): CheckedState {
  if (typeof state !== "object" || state === null || Array.isArray(state))
    throw new LanceLoaderError(
      "STATE_INVALID",
      `The state is ${show(state)}: it must be what stateDict() gave.`,
    );
  const fields = state as StateDict;
  if (fields.format !== undefined && !(isCount(fields.format) && fields.format <= stateFormat))
    throw badState(
      "format",
      fields.format,
      `at most ${stateFormat}: it was saved by a newer lance-loader. Update`,
    );
  const numSplits = checkCount("num_splits", fields.num_splits, 1, maxSplits);
  checkVersion(fields);
  if (fields.length_groups !== undefined && !isLengthGroupsState(fields.length_groups))
    throw badState("length_groups", fields.length_groups, "what stateDict() gave");
  const samples = checkProgress("samples_consumed_per_split", fields.samples_consumed_per_split, numSplits);
  const positions =
    fields.positions_consumed_per_split === undefined
      ? samples
      : checkProgress("positions_consumed_per_split", fields.positions_consumed_per_split, numSplits);
  for (const [split, count] of samples.entries()) {
    const position = positions[split] ?? 0;
    if (position < count)
      throw badState(
        "positions_consumed_per_split",
        positions,
        "at least the samples consumed of each split",
      );
  }
  return {
    seed: checkStateSeed(fields.shuffle_seed),
    numSplits,
    epoch: checkCount("epoch", fields.epoch),
    samples,
    positions,
    owned: checkOwned(fields.owned_splits, numSplits),
    fields,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function checkCount(field: string, value: unknown, min = 0, max = Number.MAX_SAFE_INTEGER): number {
  if (!isCount(value) || value < min || value > max)
    throw badState(field, value, `a whole number from ${min} to ${max}`);
  return value;
}

/** The fields by which a table is opened and its blocks are counted. Others of the wrong type are those of another run. */
function checkVersion({ table_version, table_branch, blocks_per_epoch }: StateDict): void {
  if (blocks_per_epoch !== undefined) checkCount("blocks_per_epoch", blocks_per_epoch, 1);
  if (table_version !== undefined) checkCount("table_version", table_version, 1);
  if (table_branch !== undefined && table_branch !== null && typeof table_branch !== "string")
    throw badState("table_branch", table_branch, "null or the name of a branch");
}

function checkProgress(field: string, value: unknown, numSplits: number): readonly number[] {
  if (isCount(value)) return new Array<number>(numSplits).fill(value);
  if (!Array.isArray(value) || value.length !== numSplits || !value.every(isCount))
    throw badState(field, value, `a list of ${numSplits} whole numbers of at least 0, one for each split`);
  return value;
}

function checkStateSeed(value: unknown): bigint {
  if (isCount(value)) return BigInt(value);
  if (typeof value === "string" && /^\d{1,20}$/.test(value) && BigInt(value) < 1n << 64n)
    return BigInt(value);
  throw badState(
    "shuffle_seed",
    value,
    "a whole number from 0 to 2^64 - 1, as a decimal string above 2^53 - 1",
  );
}

function checkOwned(value: unknown, numSplits: number): readonly [number, number] {
  if (value === undefined) return [0, numSplits];
  if (!Array.isArray(value) || value.length !== 2 || !value.every(isCount))
    throw badState("owned_splits", value, "the first split and the one behind the last");
  const [start, end] = value as [number, number];
  if (start >= end || end > numSplits)
    throw badState("owned_splits", value, `a range of the ${numSplits} splits`);
  return [start, end];
}
