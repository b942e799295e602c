import { show } from "../../check.ts";
import { badState, type StateDict } from "../state.ts";

/** Where the weights of a mixture became those of now. */
export interface MixtureBase {
  /** The epoch. */
  readonly epoch: number;
  /** The samples of each split of that epoch that were had before. */
  readonly level: number;
  /** How often the weights were changed. */
  readonly segment: number;
  /** For each dataset and split, the samples that were had before. */
  readonly given: readonly (readonly number[])[];
}

/** What a mixture adds to a state. */
export interface MixtureState {
  /** The version of the choice between datasets. */
  readonly version: number;
  /** The weight of each dataset, in whole numbers. */
  readonly weights: readonly number[];
  /** Samples of each split in an epoch of the mixture. */
  readonly split_length: number;
  /** For each dataset, the state that it began with: open it with this one. */
  readonly datasets: readonly StateDict[];
  /** Where the weights were changed last; `null` where they never were. */
  readonly base: MixtureBase | null;
}

/**
 * Checks the form of the mixture in a state.
 *
 * @throws {@link LanceLoaderError} `STATE_INVALID`.
 */
export function checkMixtureState(value: unknown, numSplits: number): MixtureState {
  const state = record("mixture", value);
  const { version, weights, split_length, datasets, base } = state;
  if (!isCount(version)) throw badState("mixture.version", version, "a whole number");
  if (!isCounts(weights) || weights.length === 0)
    throw badState("mixture.weights", weights, "a list of whole numbers of at least 0, one for each dataset");
  if (!isCount(split_length)) throw badState("mixture.split_length", split_length, "a whole number");
  if (!Array.isArray(datasets) || datasets.length !== weights.length)
    throw badState("mixture.datasets", datasets, `a list of ${weights.length} states, one for each weight`);
  for (const [at, dataset] of datasets.entries()) record(`mixture.datasets[${at}]`, dataset);
  if (base === null || base === undefined) return { ...(state as unknown as MixtureState), base: null };
  checkBase(base, weights.length, numSplits);
  return state as unknown as MixtureState;
}

function checkBase(value: unknown, datasets: number, numSplits: number): void {
  const { epoch, level, segment, given } = record("mixture.base", value);
  for (const [name, count] of Object.entries({ epoch, level, segment })) {
    if (!isCount(count)) throw badState(`mixture.base.${name}`, count, "a whole number of at least 0");
  }
  const isGiven = Array.isArray(given) && given.length === datasets;
  if (!isGiven || !given.every((counts) => isCounts(counts) && counts.length === numSplits))
    throw badState("mixture.base.given", given, `${datasets} lists of ${numSplits} whole numbers`);
}

function record(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw badState(field, value, `an object, and not ${show(value)}`);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}
