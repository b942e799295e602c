import { checkInteger, checkOptions, invalid } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";

/** Global steps of an epoch that are left out. */
export interface SkipSteps {
  /** Rows of a batch of one rank in the run that the steps are counted in, as in `batches(batchSize)`: `worldSize` of them are a global step. */
  readonly batchSize: number;
  /** Steps, and ranges of them from the first to before the last: `[0, 100]` starts at step 100. */
  readonly steps: readonly (number | readonly [from: number, to: number])[];
  /** The epoch whose steps these are. @default every epoch */
  readonly epoch?: number;
}

/** Levels (samples of every split) that are left out. */
export interface LeftOutLevels {
  /** The epoch; `undefined` for every one. */
  readonly epoch: number | undefined;
  /** First, behind the last, and so on. */
  readonly levels: readonly number[];
}

/** The form of the option; the numbers are checked by {@link leftOutLevels} once the number of splits is known. */
export function checkSkipSteps(value: SkipSteps | readonly SkipSteps[]): readonly SkipSteps[] {
  const lists = Array.isArray(value) ? (value as readonly SkipSteps[]) : [value as SkipSteps];
  return lists.map((list, at) => {
    const name = Array.isArray(value) ? `skipSteps[${at}]` : "skipSteps";
    checkOptions(name, list, ["batchSize", "steps", "epoch"]);
    const batchSize = checkInteger(`${name}.batchSize`, list.batchSize, 1, 2 ** 31);
    if (!Array.isArray(list.steps))
      throw invalid(`${name}.steps`, list.steps, "a list of steps and [from, to]");
    const steps = list.steps.map((step, place) => checkStep(`${name}.steps[${place}]`, step));
    if (list.epoch === undefined) return { batchSize, steps };
    return { batchSize, steps, epoch: checkInteger(`${name}.epoch`, list.epoch, 0) };
  });
}

function checkStep(name: string, step: unknown): readonly [number, number] {
  if (!Array.isArray(step)) {
    const first = checkInteger(name, step, 0, Number.MAX_SAFE_INTEGER - 1);
    return [first, first + 1];
  }
  if (step.length !== 2) throw invalid(name, step, "a step, or [from, to]");
  const from = checkInteger(`${name}[0]`, step[0], 0);
  return [from, checkInteger(`${name}[1]`, step[1], from)];
}

/**
 * The levels of the steps.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where a global step is not made of whole cycles, one sample of every split.
 */
export function leftOutLevels(
  skipped: readonly SkipSteps[],
  numSplits: number,
  worldSize: number,
): readonly LeftOutLevels[] {
  return skipped.map(({ batchSize, steps, epoch }) => {
    const levels = levelsOfStep("skipSteps", batchSize, numSplits, worldSize);
    const ranges = steps.flatMap((step) => (typeof step === "number" ? [step, step + 1] : step));
    return { epoch, levels: ranges.map((step) => Math.min(step * levels, Number.MAX_SAFE_INTEGER)) };
  });
}

/**
 * The samples that every split gives to a global step.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where that is no whole number.
 */
export function levelsOfStep(what: string, batchSize: number, numSplits: number, worldSize: number): number {
  const levels = (batchSize * worldSize) / numSplits;
  if (Number.isInteger(levels)) return levels;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `${what}: batchSize ${batchSize} on ${worldSize} ranks makes steps of ${batchSize * worldSize} rows, which must be a multiple of numSplits (${numSplits}): ` +
      "only then a step has the same rows on every topology.",
  );
}
