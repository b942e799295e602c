import { checkInteger, invalid } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";
import type { StreamingDataset } from "../dataset.ts";

/** A dataset of a mixture, and how much of it there is. Exactly one of `weight`, `repeat` and `choose`, the same one or of the last two for all. */
export interface MixturePart {
  /** The dataset, at the start of an epoch. It is not read by the mixture, and may be closed once it is mixed. */
  readonly dataset: StreamingDataset;
  /** Its share, in relation to the other weights; with 0 it gives nothing, until a resume changes that. */
  readonly weight?: number;
  /** How often each of its samples comes in an epoch of the mixture; fractions are rounded down to whole samples of a split. */
  readonly repeat?: number;
  /** How many of its samples, over all ranks, come in an epoch of the mixture: a multiple of the number of splits. */
  readonly choose?: number;
}

/** Weights in whole numbers; where they are samples of a split, also the samples of a split of an epoch. */
export interface ResolvedWeights {
  readonly weights: readonly number[];
  readonly splitLength: number | undefined;
}

const kinds = ["weight", "repeat", "choose"] as const;

/** The largest weight: the ratio of two weights is kept to 32 bits. */
const largest = 2 ** 32;

/**
 * The weights of a mixture.
 *
 * @param splitLengths - the samples of each split of each dataset.
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
 */
export function resolveWeights(
  parts: readonly MixturePart[],
  splitLengths: readonly number[],
  numSplits: number,
): ResolvedWeights {
  const relative = parts.filter((part, at) => kindOf(part, at) === "weight").length;
  if (relative === parts.length) return { weights: ofRatios(parts), splitLength: undefined };
  if (relative > 0)
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `${relative} of ${parts.length} datasets of the mixture have a weight, and the others repeat or choose: give all of them weights, or none.`,
    );
  const weights = parts.map((part, at) => samplesOf(part, at, splitLengths[at] ?? 0, numSplits));
  const splitLength = weights.reduce((sum, weight) => sum + weight, 0);
  if (splitLength === 0)
    throw invalid("repeat and choose", weights, "more than no sample of at least one dataset");
  return { weights, splitLength };
}

function kindOf(part: MixturePart, at: number): (typeof kinds)[number] {
  const given = kinds.filter((kind) => part[kind] !== undefined);
  const [kind, ...others] = given;
  if (kind !== undefined && others.length === 0) return kind;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `parts[${at}] has ${given.length === 0 ? "no weight" : given.join(" and ")}: give one of weight, repeat and choose.`,
  );
}

function ofRatios(parts: readonly MixturePart[]): number[] {
  const weights = parts.map(({ weight }, at) => checkNumber(`parts[${at}].weight`, weight));
  const most = Math.max(...weights);
  if (most === 0) throw invalid("the weights", weights, "above 0 for at least one dataset");
  if (most <= largest && weights.every(Number.isSafeInteger)) return weights;
  // Division and rounding are exact to the last bit on every platform.
  return weights.map((weight, at) => {
    const whole = Math.round((weight / most) * largest);
    if (whole === 0 && weight > 0)
      throw invalid(`parts[${at}].weight`, weight, `0, or at least 2^-32 of the largest weight, ${most}`);
    return whole;
  });
}

function samplesOf({ repeat, choose }: MixturePart, at: number, length: number, numSplits: number): number {
  if (choose !== undefined) {
    const samples = checkInteger(`parts[${at}].choose`, choose, 0, largest);
    if (samples % numSplits === 0) return samples / numSplits;
    throw invalid(`parts[${at}].choose`, choose, `a multiple of numSplits, which is ${numSplits}`);
  }
  const samples = Math.floor(checkNumber(`parts[${at}].repeat`, repeat) * length);
  if (samples <= largest) return samples;
  throw invalid(`parts[${at}].repeat`, repeat, `at most ${largest / length} for a dataset of this length`);
}

function checkNumber(argument: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw invalid(argument, value, "a finite number of at least 0");
}
