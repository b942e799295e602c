import { invalid } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";
import { loadBinding, type NativeBinding } from "../../native.ts";
import { native } from "../../tables/native-errors.ts";
import { isUniform } from "../merge.ts";
import { type CheckedState, mismatch, type StateDict } from "../state.ts";
import { checkMixtureState, type MixtureBase, type MixtureState } from "./state.ts";

type NativeTable = InstanceType<NativeBinding["Table"]>;
type NativeMixing = InstanceType<NativeBinding["Mixing"]>;
type PlanArguments = Parameters<NativeTable["plan"]>[0];
type Stretch = Parameters<NativeMixing["plan"]>[2];

/** What a mixture is made of. */
export interface MixedOptions {
  readonly mixing: NativeMixing;
  readonly weights: readonly number[];
  /** The samples of each split of an epoch. */
  readonly splitLength: number;
  readonly numSplits: number;
  /** For each dataset, the state that it begins with. */
  readonly datasets: readonly StateDict[];
}

/** Where a mixture stands: its seed, epoch, and where its weights were changed. */
export interface MixedPlace {
  readonly seed: bigint;
  readonly epoch: number;
  readonly base: MixtureBase | undefined;
}

/** The choice between the datasets of a mixture: plans of its epochs, counts, and what a state tells of it. */
export class Mixed {
  readonly #options: MixedOptions;

  constructor(options: MixedOptions) {
    this.#options = options;
  }

  /** The weight of each dataset, in whole numbers. */
  get weights(): readonly number[] {
    return this.#options.weights;
  }

  /** Where the rows of each dataset start among those of all. */
  get starts(): readonly number[] {
    return native(() => this.#options.mixing.starts);
  }

  /** The samples of each split of each dataset. */
  get splitLengths(): readonly number[] {
    return native(() => this.#options.mixing.splitLengths);
  }

  /** The epoch with which each dataset began. */
  get firstEpochs(): readonly number[] {
    return this.#options.datasets.map(({ epoch }) => epoch);
  }

  /**
   * The plan of an epoch.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
   */
  plan(
    table: NativeTable,
    options: PlanArguments,
    base: MixtureBase | undefined,
  ): ReturnType<NativeMixing["plan"]> {
    const stretch = this.#stretch(options.epoch, base);
    const weights = this.#weights(options.shuffleSeed, base);
    return this.#options.mixing.plan(table, weights, stretch, options);
  }

  /** How many samples of each split each dataset has given, once `levels` samples of each split of the epoch were had. */
  counts({ seed, epoch, base }: MixedPlace, levels: readonly number[]): number[][] {
    const { start, unknown, given } = this.#stretch(epoch, base);
    const passed = levels.map((level) => start + Math.max(0, level - unknown));
    const counts = native(() => loadBinding().mixtureCounts(this.#weights(seed, base), passed));
    return counts.map((splits, at) => splits.map((count, split) => count + (given[at]?.[split] ?? 0)));
  }

  /** What a state tells of the mixture. */
  state(base: MixtureBase | undefined): MixtureState {
    const { weights, splitLength, datasets } = this.#options;
    const version = loadBinding().MIXTURE_ALGORITHM_VERSION;
    return { version, weights, split_length: splitLength, datasets, base: base ?? null };
  }

  /**
   * Where the weights became those of this mixture, seen from a state: now, if the state has others.
   *
   * @throws {@link LanceLoaderError} `STATE_INVALID`, `STATE_MISMATCH`.
   */
  resume(state: CheckedState): MixtureBase | undefined {
    const { weights, splitLength, numSplits, mixing } = this.#options;
    const saved = checkMixtureState(state.fields.mixture, state.numSplits);
    this.#compare(saved);
    const base = saved.base ?? undefined;
    const same = saved.split_length === splitLength && String(saved.weights) === String(weights);
    if (same) return base;
    if (!isUniform(state.positions))
      throw new LanceLoaderError(
        "STATE_MISMATCH",
        "The weights of the mixture are others than the state's, and the state is not of a whole global step: change weights with a state that is " +
          "(all splits stand alike), merged from all ranks.",
      );
    const level = state.positions[0] ?? 0;
    if (base === undefined && state.epoch === 0 && level === 0) return undefined;
    const then = new Mixed({
      mixing,
      weights: saved.weights,
      splitLength: saved.split_length,
      numSplits,
      datasets: [],
    });
    const given = then.counts({ seed: state.seed, epoch: state.epoch, base }, state.positions);
    return { epoch: state.epoch, level, segment: (base?.segment ?? 0) + 1, given };
  }

  #compare(saved: MixtureState): void {
    mismatch("mixture.version", saved.version, loadBinding().MIXTURE_ALGORITHM_VERSION);
    const { datasets } = this.#options;
    mismatch("mixture.datasets.length", saved.datasets.length, datasets.length);
    for (const [at, dataset] of datasets.entries()) {
      const theirs = saved.datasets[at] as StateDict;
      const way = `Open dataset ${at} of the mixture with \`state: state.mixture.datasets[${at}]\``;
      for (const field of Object.keys(dataset) as (keyof StateDict)[])
        mismatch(`mixture.datasets[${at}].${field}`, theirs[field], dataset[field], way);
    }
  }

  #weights(
    shuffleSeed: PlanArguments["shuffleSeed"],
    base: MixtureBase | undefined,
  ): Parameters<NativeMixing["plan"]>[1] {
    const { weights, numSplits } = this.#options;
    return { seed: shuffleSeed, segment: base?.segment ?? 0, weights: [...weights], numSplits };
  }

  /** Which stretch of the endless mixture an epoch is. */
  #stretch(epoch: number, base: MixtureBase | undefined): Stretch {
    const { splitLength } = this.#options;
    if (base === undefined)
      return { splitLength, unknown: 0, start: checkStart(epoch, epoch * splitLength), given: [] };
    const { level, given: before } = base;
    const given = before.map((splits) => [...splits]);
    if (epoch < base.epoch)
      throw invalid(
        "epoch",
        epoch,
        `at least ${base.epoch}, in which the weights of the mixture were changed`,
      );
    if (epoch === base.epoch)
      return { splitLength: Math.max(splitLength, level), unknown: level, start: 0, given };
    const start = Math.max(0, splitLength - level) + (epoch - base.epoch - 1) * splitLength;
    return { splitLength, unknown: 0, start: checkStart(epoch, start), given };
  }
}

function checkStart(epoch: number, start: number): number {
  if (Number.isSafeInteger(start)) return start;
  throw invalid("epoch", epoch, "an epoch that begins before sample 2^53 of a split of the mixture");
}
