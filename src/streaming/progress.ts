import { randomBytes } from "node:crypto";
import { show } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { loadBinding } from "../native.ts";
import type { NativePipeline } from "../tables/batch-reader.ts";
import { native } from "../tables/native-errors.ts";
import { isUniform, sameNumbers } from "./merge.ts";
import type { NativePlan, OpenedTable } from "./opened.ts";
import type { ResolvedOptions } from "./options.ts";
import { badState, type CheckedState, type StateDict, seedOf, stateFormat } from "./state.ts";

/** Bytes of gathered batches that may wait in the addon. */
const readyBytes = 4 * 2 ** 20;

/** Where an epoch begins: what its plan is made of. */
interface Start {
  readonly seed: bigint;
  readonly numSplits: number;
  readonly epoch: number;
  /** Samples of each split that were handed over before; none when empty. */
  readonly samples: readonly number[];
}

/** Where a dataset stands in its epoch, and the plan of what is left of it. */
export class Progress {
  readonly table: OpenedTable;
  readonly #options: ResolvedOptions;
  #start: Start;
  #plan: NativePlan;
  /** Samples of the plan that were handed over. */
  #position = 0;
  #consumed = 0;

  /**
   * At a state, or at the start of the epoch that the options name.
   *
   * @throws {@link LanceLoaderError} What `load` throws, and `INVALID_ARGUMENT`, `TOO_FEW_ROWS`.
   */
  constructor(table: OpenedTable, options: ResolvedOptions, state?: CheckedState) {
    this.table = table;
    this.#options = options;
    const { shuffleSeed, randomSeed, numSplits, worldSize, epoch } = options;
    const seed = shuffleSeed ?? (randomSeed ? drawSeed() : 0n);
    this.#start = {
      seed,
      numSplits: numSplits ?? state?.numSplits ?? table.selection.numSplits ?? worldSize,
      epoch,
      samples: [],
    };
    const adopted = state !== undefined && numSplits === undefined;
    this.#plan = adopted ? this.#planOfState(this.#start) : this.#planOf(this.#start);
    if (state !== undefined) this.load(state);
  }

  get epoch(): number {
    return this.#start.epoch;
  }

  get seed(): bigint {
    return this.#start.seed;
  }

  get numSplits(): number {
    return this.#start.numSplits;
  }

  /** The signal that ends iterations. */
  get signal(): AbortSignal | undefined {
    return this.#options.signal;
  }

  /** The plan of the epoch from where it was begun or loaded. */
  get plan(): NativePlan {
    return this.#plan;
  }

  /** Samples that were handed over by this object, over all epochs. */
  get consumed(): number {
    return this.#consumed;
  }

  /** Counts samples as handed over. */
  commit(samples: number): void {
    this.#position += samples;
    this.#consumed += samples;
  }

  /** Goes to the start of an epoch. */
  begin(epoch: number): void {
    this.#goTo({ ...this.#start, epoch, samples: [] });
  }

  /** Starts to read what is left. */
  read(batchRows: number): NativePipeline {
    const { readBatchSize, ioQueueDepth, fetch, lendBuffers } = this.#options;
    return native(() =>
      this.table.handle.start(this.#plan, {
        skip: this.#position,
        batchRows,
        ioQueueDepth,
        readyBytes,
        fetch,
        lendBuffers,
        ...(readBatchSize !== undefined && { readBatchSize }),
      }),
    );
  }

  /** The state of what was handed over. */
  state(): StateDict {
    const { shuffle, shuffleClumpSize, remainder, filter } = this.#options;
    const samples = this.#samples();
    const [start = 0, end = samples.length] = this.#plan.ownedSplits;
    return {
      shuffle_seed: seedOf(this.seed),
      num_splits: this.numSplits,
      epoch: this.epoch,
      samples_consumed_per_split: samples,
      positions_consumed_per_split: [...samples],
      format: stateFormat,
      order_version: loadBinding().ORDER_ALGORITHM_VERSION,
      table_identity: this.table.identity,
      table_version: this.table.version,
      table_branch: this.table.branch,
      shuffle,
      shuffle_clump_size: shuffleClumpSize,
      remainder,
      filter: filter ?? null,
      permutation: this.table.selection.permutation,
      split_strategy: this.table.selection.splitStrategy,
      owned_splits: [start, end],
    };
  }

  /**
   * Goes to where a state stands.
   *
   * @throws {@link LanceLoaderError} `STATE_MISMATCH`, `STATE_INVALID`. Nothing has changed then.
   */
  load(state: CheckedState): void {
    this.#compare(state);
    const start = {
      seed: state.seed,
      numSplits: state.numSplits,
      epoch: state.epoch,
      samples: state.samples,
    };
    const plan = this.#planOfState(start);
    const [first = 0, end = 0] = plan.ownedSplits;
    const exact = first >= state.owned[0] && end <= state.owned[1];
    if (!exact && !isUniform(state.samples))
      throw new LanceLoaderError(
        "STATE_MISMATCH",
        `The state owns splits ${state.owned[0]} to ${state.owned[1] - 1} and its progress is uneven, but this dataset owns splits ${first} to ${end - 1}: ` +
          "merge the states of all ranks with StreamingDataset.mergeStateDicts first.",
      );
    this.#start = start;
    this.#plan = plan;
    this.#position = 0;
  }

  #goTo(start: Start): void {
    this.#plan = this.#planOf(start);
    this.#start = start;
    this.#position = 0;
  }

  /**
   * The samples consumed of each split: exact for the owned ones. Where all splits stood alike, the ranks go in step, so that the others
   * stand where the owned ones do; else they stand where the epoch was begun.
   */
  #samples(): number[] {
    const after = native(() => this.#plan.progressAfter(this.#position));
    if (!isUniform(this.#start.samples)) return after;
    const [start = 0, end = after.length] = this.#plan.ownedSplits;
    const wholeCycles = Math.floor(this.table.numRows / this.numSplits);
    const inStep = after.slice(start, end).reduce((least, count) => Math.min(least, count), wholeCycles);
    return after.map((count, split) => (split >= start && split < end ? count : Math.max(count, inStep)));
  }

  #planOf(start: Start): NativePlan {
    const { shuffle, shuffleClumpSize, remainder, rank, worldSize, worker } = this.#options;
    return native(() =>
      this.table.selection.plan(this.table.handle, {
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
      }),
    );
  }

  #planOfState(start: Start): NativePlan {
    try {
      return this.#planOf(start);
    } catch (cause) {
      if (!(cause instanceof LanceLoaderError) || cause.code !== "INVALID_ARGUMENT") throw cause;
      throw new LanceLoaderError("STATE_INVALID", `The state does not fit this dataset: ${cause.message}`, {
        cause,
      });
    }
  }

  #compare(state: CheckedState): void {
    const { numSplits, shuffleSeed, shuffle, shuffleClumpSize, remainder, filter } = this.#options;
    const { fields } = state;
    const { identity, version, branch } = this.table;
    if (numSplits !== undefined) mismatch("num_splits", state.numSplits, numSplits);
    if (shuffleSeed !== undefined) mismatch("shuffle_seed", seedOf(state.seed), seedOf(shuffleSeed));
    mismatch("shuffle", fields.shuffle, shuffle);
    mismatch("shuffle_clump_size", fields.shuffle_clump_size, shuffleClumpSize);
    mismatch("remainder", fields.remainder, remainder);
    mismatch("filter", fields.filter, filter ?? null);
    const { permutation, splitStrategy } = this.table.selection;
    mismatch("permutation", fields.permutation, permutation);
    mismatch("split_strategy", fields.split_strategy, splitStrategy);
    const reopen = "Open the dataset with the option `state`, or with this `version`";
    mismatch("table_branch", fields.table_branch, branch, "Open the dataset with the option `state`");
    mismatch("table_version", fields.table_version, version, reopen);
    mismatch("table_identity", fields.table_identity, identity, "The state is of another table");
    if (!sameNumbers(state.samples, state.positions))
      throw badState(
        "positions_consumed_per_split",
        state.positions,
        "the samples consumed of each split: this dataset skips no rows, and can't go on where rows were skipped",
      );
    this.#compareOrder(state);
  }

  #compareOrder(state: CheckedState): void {
    const ours = loadBinding().ORDER_ALGORITHM_VERSION;
    const { order_version } = state.fields;
    mismatch("order_version", order_version, ours);
    if (order_version === undefined && this.#options.shuffle && state.samples.some((count) => count > 0))
      throw badState(
        "order_version",
        order_version,
        `${ours} where rows of a shuffled epoch were consumed: another loader saved this state, and its shuffle is another one`,
      );
  }
}

function mismatch(field: string, theirs: unknown, ours: unknown, way?: string): void {
  if (theirs === undefined || theirs === ours) return;
  throw new LanceLoaderError(
    "STATE_MISMATCH",
    `The state is of another run: its ${field} is ${show(theirs)}, this dataset's is ${show(ours)}.${way === undefined ? "" : ` ${way}.`}`,
  );
}

/** A random seed that fits a JavaScript number. */
function drawSeed(): bigint {
  return randomBytes(8).readBigUInt64LE() >> 11n;
}
