import { hasLengths, noLengths } from "../../arrow/variable-lengths.ts";
import { checkInteger, checkOptions, checkString, invalid, show } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";
import type { Progress } from "../progress.ts";

/** How batches are grouped by length. */
export interface GroupByLength {
  /** The column whose lengths count: strings and binaries by bytes, lists by items. It must be one of the columns that are read. */
  readonly column: string;
  /** Batches of every rank that are grouped at once. They are in memory at once, twice. */
  readonly lookAhead: number;
}

/** What a state tells of an epoch that stands inside of a look-ahead. */
export interface LengthGroupsState {
  /** The version of the grouping. */
  readonly version: number;
  /** The column. */
  readonly column: string;
  /** Batches that are grouped at once. */
  readonly look_ahead: number;
  /** Samples that each split gives to a batch. */
  readonly levels_of_step: number;
}

/** The form of the option. */
export function checkGroupByLength(value: GroupByLength): GroupByLength {
  checkOptions("groupByLength", value, ["column", "lookAhead"]);
  return {
    column: checkString("groupByLength.column", value.column),
    lookAhead: checkInteger("groupByLength.lookAhead", value.lookAhead, 2, 2 ** 16),
  };
}

/**
 * Checks the grouping against the dataset.
 *
 * @returns the samples that each split gives to a batch.
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `UNKNOWN_COLUMN`, `UNSUPPORTED_TYPE`.
 */
export function levelsOfBatch(group: GroupByLength, batchSize: number, progress: Progress): number {
  const { packing, skipSteps, transform } = progress.options;
  const other =
    packing !== undefined
      ? "packSequences"
      : skipSteps.length > 0
        ? "skipSteps"
        : transform !== undefined
          ? "a transform"
          : undefined;
  if (other !== undefined)
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `groupByLength can't be used with ${other} of the dataset: batches are grouped by the rows as they are read, and a step's rows are known once their lengths are. ` +
        "Leave one of them out.",
    );
  const field = progress.schema.fields.find(({ name }) => name === group.column);
  if (field === undefined)
    throw new LanceLoaderError(
      "UNKNOWN_COLUMN",
      `groupByLength.column is ${show(group.column)}: it must be one of the columns that are read, ${progress.schema.fields.map(({ name }) => name).join(", ")}.`,
    );
  if (!hasLengths(field.type)) throw noLengths(group.column, field.type);
  const [start, end] = progress.ownedSplits;
  const levels = batchSize / (end - start);
  if (Number.isInteger(levels)) return levels;
  throw invalid(
    "batchSize",
    batchSize,
    `a multiple of ${end - start} with groupByLength, the splits that this rank owns, so that each split gives as many samples to a batch`,
  );
}

/** The form of what a state tells. */
export function isLengthGroupsState(value: unknown): value is LengthGroupsState {
  if (typeof value !== "object" || value === null) return false;
  const { version, column, look_ahead, levels_of_step } = value as Record<string, unknown>;
  const counts = [version, look_ahead, levels_of_step];
  return (
    typeof column === "string" &&
    counts.every((count) => Number.isSafeInteger(count) && (count as number) > 0)
  );
}

/**
 * Refuses to go on where batches of another grouping, or of none, were handed over.
 *
 * @param groups - how they were grouped, inside of a look-ahead.
 * @param ours - how they would be.
 * @throws {@link LanceLoaderError} `STATE_MISMATCH`.
 */
export function checkSameGroups(
  groups: LengthGroupsState | undefined,
  ours: LengthGroupsState | undefined,
): void {
  const fieldsOf = (state: LengthGroupsState) =>
    JSON.stringify([state.version, state.column, state.look_ahead, state.levels_of_step]);
  if (groups === undefined || (ours !== undefined && fieldsOf(groups) === fieldsOf(ours))) return;
  const way = ours === undefined ? "without groups" : `with ${JSON.stringify(ours)}`;
  throw new LanceLoaderError(
    "STATE_MISMATCH",
    `The epoch stands inside of a look-ahead of batches that are grouped by length (${JSON.stringify(groups)}), and can't go on ${way}: ` +
      "read it with the same batch size over all ranks and the same groupByLength, or begin an epoch.",
  );
}
