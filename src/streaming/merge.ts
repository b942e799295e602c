import { show } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { mergePackingStates } from "./packing/state.ts";
import { type CheckedState, checkState, type StateDict } from "./state.ts";

/** What must be the same in all states of one run. Fields that a state lacks are not compared. */
const sharedFields = [
  "order_version",
  "shuffle_seed",
  "num_splits",
  "epoch",
  "shuffle",
  "shuffle_clump_size",
  "remainder",
  "filter",
  "permutation",
  "split_strategy",
  "table_identity",
  "table_version",
  "table_branch",
] as const satisfies readonly (keyof StateDict)[];

/**
 * The states of all ranks as one, to be loaded on any topology.
 *
 * Each rank knows its own splits exactly, and of the others where they stand if the ranks go in step: the largest number among those who own a split
 * counts, and among all where nobody owns it.
 *
 * @throws {@link LanceLoaderError} `STATE_INVALID` for no state or one that is none; `STATE_MISMATCH` for states of different runs, or where
 * splits that no state owns must be known.
 */
export function mergeStateDicts(states: readonly StateDict[]): StateDict {
  if (!Array.isArray(states) || states.length === 0)
    throw new LanceLoaderError("STATE_INVALID", "states is empty: give the states of all ranks.");
  const checked = states.map(checkState);
  const first = checked[0] as CheckedState;
  for (const other of checked.slice(1)) {
    for (const field of sharedFields) compare(field, first.fields[field], other.fields[field]);
    compare("mixture", textOf(first, "mixture"), textOf(other, "mixture"));
    // That batches are not grouped tells something, too.
    compare(
      "length_groups",
      textOf(first, "length_groups") ?? "absent",
      textOf(other, "length_groups") ?? "absent",
    );
  }
  const { owned_splits: _, ...shared } = Object.assign({}, ...states.toReversed()) as StateDict;
  if (arePacked(checked)) {
    const packed = mergePackingStates(checked);
    return {
      ...shared,
      ...packed,
      positions_consumed_per_split: packed.samples_consumed_per_split as number[],
    };
  }
  const samples = largest(checked, (state) => state.samples);
  const positions = largest(checked, (state) => state.positions);
  const merged = { ...shared, samples_consumed_per_split: samples, positions_consumed_per_split: positions };
  const missing = uncovered(checked, first.numSplits);
  if (missing === undefined) return merged;
  if (!isUniform(samples) || !sameNumbers(samples, positions))
    throw new LanceLoaderError(
      "STATE_MISMATCH",
      `No state owns split ${missing}, and the progress is uneven, so that nobody knows how far that split is: ` +
        "merge the states of all ranks of the run.",
    );
  return merged;
}

/** Whether the states are of packed blocks: all or none. That they are of one packing is checked where they are merged. */
function arePacked(states: readonly CheckedState[]): boolean {
  const [first, ...others] = states.map(({ fields }) => fields.pack_sequences);
  // Unlike other fields, one that is missing tells something: that nothing is packed.
  for (const other of others) compare("pack_sequences", first ?? "absent", other ?? "absent");
  return first !== undefined;
}

/** A part of a state that all ranks write alike. */
function textOf({ fields }: CheckedState, field: "mixture" | "length_groups"): string | undefined {
  return fields[field] && JSON.stringify(fields[field]);
}

function compare(field: string, left: unknown, right: unknown): void {
  if (left === undefined || right === undefined || left === right) return;
  throw new LanceLoaderError(
    "STATE_MISMATCH",
    `The states are of different runs: ${field} is ${show(left)} in the first and ${show(right)} in another one.`,
  );
}

function largest(
  states: readonly CheckedState[],
  countsOf: (state: CheckedState) => readonly number[],
): number[] {
  const { numSplits } = states[0] as CheckedState;
  return Array.from({ length: numSplits }, (_, split) => {
    const owners = states.filter(({ owned: [start, end] }) => split >= start && split < end);
    const known = owners.length > 0 ? owners : states;
    return known.reduce((most, state) => Math.max(most, countsOf(state)[split] ?? 0), 0);
  });
}

/** The first split that no state owns. */
function uncovered(states: readonly CheckedState[], numSplits: number): number | undefined {
  const ranges = states.map((state) => state.owned).toSorted((left, right) => left[0] - right[0]);
  let covered = 0;
  for (const [start, end] of ranges) {
    if (start > covered) return covered;
    covered = Math.max(covered, end);
  }
  return covered < numSplits ? covered : undefined;
}

/** Whether all splits stand alike. */
export function isUniform(progress: readonly number[]): boolean {
  return progress.every((count) => count === progress[0]);
}

/** Whether two lists have the same numbers. */
export function sameNumbers(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((count, index) => count === right[index]);
}
