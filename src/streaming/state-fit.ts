import { LanceLoaderError } from "../errors.ts";
import { loadBinding } from "../native.ts";
import { type EpochStart, planOf } from "./epoch-plan.ts";
import { isUniform, sameNumbers } from "./merge.ts";
import type { NativePlan, OpenedTable } from "./opened.ts";
import type { ResolvedOptions } from "./options.ts";
import { comparePacking } from "./packing/compare.ts";
import { badState, type CheckedState, mismatch, seedOf } from "./state.ts";

/**
 * Refuses a state of another run.
 *
 * @param blocks - with packing, the blocks of an epoch.
 * @throws {@link LanceLoaderError} `STATE_MISMATCH`, `STATE_INVALID`.
 */
export function compareState(
  state: CheckedState,
  table: OpenedTable,
  options: ResolvedOptions,
  blocks: number | undefined,
): void {
  const { numSplits, shuffleSeed, shuffle, shuffleClumpSize, remainder, filter } = options;
  const { fields } = state;
  const { identity, version, branch } = table;
  if (numSplits !== undefined) mismatch("num_splits", state.numSplits, numSplits);
  if (shuffleSeed !== undefined) mismatch("shuffle_seed", seedOf(state.seed), seedOf(shuffleSeed));
  mismatch("shuffle", fields.shuffle, shuffle);
  mismatch("shuffle_clump_size", fields.shuffle_clump_size, shuffleClumpSize);
  mismatch("remainder", fields.remainder, remainder);
  mismatch("filter", fields.filter, filter ?? null);
  const { permutation, splitStrategy } = table.selection;
  mismatch("permutation", fields.permutation, permutation);
  mismatch("split_strategy", fields.split_strategy, splitStrategy);
  const reopen = "Open the dataset with the option `state`, or with this `version`";
  mismatch("table_branch", fields.table_branch, branch, "Open the dataset with the option `state`");
  mismatch("table_version", fields.table_version, version, reopen);
  mismatch("table_identity", fields.table_identity, identity, "The state is of another table");
  comparePacking(fields, options.packing, blocks);
  compareOrder(state, shuffle);
}

function compareOrder(state: CheckedState, shuffle: boolean): void {
  const ours = loadBinding().ORDER_ALGORITHM_VERSION;
  const { order_version } = state.fields;
  mismatch("order_version", order_version, ours);
  if (order_version === undefined && shuffle && state.samples.some((count) => count > 0))
    throw badState(
      "order_version",
      order_version,
      `${ours} where rows of a shuffled epoch were consumed: another loader saved this state, and its shuffle is another one`,
    );
}

/**
 * The plan of what a state leaves of an epoch.
 *
 * @throws {@link LanceLoaderError} `STATE_INVALID` where it does not fit, `TOO_FEW_ROWS`.
 */
export function planOfState(table: OpenedTable, options: ResolvedOptions, start: EpochStart): NativePlan {
  try {
    return planOf(table, options, start);
  } catch (cause) {
    if (!(cause instanceof LanceLoaderError) || cause.code !== "INVALID_ARGUMENT") throw cause;
    throw new LanceLoaderError("STATE_INVALID", `The state does not fit this dataset: ${cause.message}`, {
      cause,
    });
  }
}

/** Refuses a state that does not know how far the splits of a plan are. */
export function checkOwner({ owned, samples, positions }: CheckedState, plan: NativePlan): void {
  const [first = 0, end = 0] = plan.ownedSplits;
  const isEven = isUniform(samples) && sameNumbers(samples, positions);
  if ((first >= owned[0] && end <= owned[1]) || isEven) return;
  throw new LanceLoaderError(
    "STATE_MISMATCH",
    `The state owns splits ${owned[0]} to ${owned[1] - 1}, and ${isUniform(samples) ? "rows were skipped" : "its progress is uneven"}, but this dataset owns splits ${first} to ${end - 1}: ` +
      "merge the states of all ranks with StreamingDataset.mergeStateDicts first.",
  );
}
