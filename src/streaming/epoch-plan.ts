import { native } from "../tables/native-errors.ts";
import type { MixtureBase } from "./mixture/state.ts";
import type { NativePlan, OpenedTable } from "./opened.ts";
import type { ResolvedOptions } from "./options.ts";
import { leftOutLevels } from "./skip-steps.ts";

/** Where an epoch begins: what its plan is made of. */
export interface EpochStart {
  readonly seed: bigint;
  readonly numSplits: number;
  readonly epoch: number;
  /** Samples of each split that were handed over before; none when empty. */
  readonly samples: readonly number[];
  /** Rows of each split that were passed before, skipped ones included; as many as samples when empty. */
  readonly positions: readonly number[];
  /** In a mixture: where its weights became those of now. */
  readonly base?: MixtureBase;
}

/**
 * The plan of what is left of an epoch.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `TOO_FEW_ROWS`.
 */
export function planOf(table: OpenedTable, options: ResolvedOptions, start: EpochStart): NativePlan {
  const { shuffle, shuffleClumpSize, remainder, rank, worldSize, worker } = options;
  const leftOut = leftOutLevels(options.skipSteps, start.numSplits, worldSize).filter(
    ({ epoch }) => (epoch ?? start.epoch) === start.epoch,
  );
  const plan = {
    numSplits: start.numSplits,
    keepRemainder: remainder === "keep",
    shuffle,
    shuffleClumpSize,
    shuffleSeed: start.seed,
    epoch: start.epoch,
    rank,
    worldSize,
    worker: worker.id,
    numWorkers: worker.numWorkers,
    progress: [...start.samples],
    positions: [...start.positions],
    maySkip: (options.transform?.policy ?? "raise") !== "raise",
    leftOut: leftOut.flatMap(({ levels }) => [...levels]),
  };
  return native(() => table.selection.plan(table.handle, plan, start.base));
}
