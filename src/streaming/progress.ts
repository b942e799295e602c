import { randomBytes } from "node:crypto";
import type { Schema } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import { loadBinding } from "../native.ts";
import type { BatchSource } from "../tables/batch-reader.ts";
import { native } from "../tables/native-errors.ts";
import { type EpochStart, planOf } from "./epoch-plan.ts";
import { isUniform, sameNumbers } from "./merge.ts";
import type { NativePlan, OpenedTable } from "./opened.ts";
import type { ResolvedOptions } from "./options.ts";
import { comparePacking } from "./packing/compare.ts";
import { estimateBlocks } from "./packing/estimate.ts";
import type { ResolvedPacking } from "./packing/options.ts";
import { PackedEpoch } from "./packing/packed-epoch.ts";
import { checkingState } from "./packing/state.ts";
import { scratchOf } from "./scratch.ts";
import { badState, type CheckedState, mismatch, type StateDict, seedOf, stateFormat } from "./state.ts";
import type { PackingStatistics } from "./statistics.ts";

/** Bytes of gathered batches that may wait in the addon. */
const readyBytes = 4 * 2 ** 20;

/** Where a dataset stands in its epoch, and the plan of what is left of it. */
export class Progress {
  readonly table: OpenedTable;
  readonly #options: ResolvedOptions;
  #start: EpochStart;
  #plan: NativePlan;
  /** With packing: the blocks of an epoch, and where they stand. */
  #blocks: number | undefined;
  #packed: PackedEpoch | undefined;
  /** What packing made of the epoch before. */
  #lastPacking: PackingStatistics | undefined;
  /** Samples of the plan that were handed over. */
  #position = 0;
  #consumed = 0;

  private constructor(table: OpenedTable, options: ResolvedOptions, start: EpochStart, plan: NativePlan) {
    this.table = table;
    this.#options = options;
    this.#start = start;
    this.#plan = plan;
  }

  /**
   * At a state, or at the start of the epoch that the options name.
   *
   * @throws {@link LanceLoaderError} What `load` throws, and `INVALID_ARGUMENT`, `TOO_FEW_ROWS`; in packing also `UNSUPPORTED_TYPE`, `READ_FAILED`, `ABORTED`.
   */
  static async begin(table: OpenedTable, options: ResolvedOptions, state?: CheckedState): Promise<Progress> {
    const { shuffleSeed, randomSeed, numSplits, worldSize, epoch } = options;
    const seed = shuffleSeed ?? (randomSeed ? drawSeed() : 0n);
    const start = {
      seed,
      numSplits: numSplits ?? state?.numSplits ?? table.selection.numSplits ?? worldSize,
      epoch,
      samples: [],
    };
    const adopted = state !== undefined && numSplits === undefined;
    const plan = adopted ? planOfState(table, options, start) : planOf(table, options, start);
    const progress = new Progress(table, options, start, plan);
    if (options.packing !== undefined) await progress.#beginPacking(options.packing, state);
    if (state !== undefined) progress.load(state);
    return progress;
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

  /** The columns of the batches. */
  get schema(): Schema {
    return this.#packed?.schema ?? this.table.schema;
  }

  /** The samples of this rank and worker in the whole epoch. */
  get total(): number {
    return this.#packed?.total ?? this.#plan.total;
  }

  /** The most samples that a plain loop should read at once. */
  get sampleRows(): number {
    return this.#packed?.sampleRows ?? Number.POSITIVE_INFINITY;
  }

  /** What packing has made of the epoch, or, until it is begun, of the one before. */
  get packing(): PackingStatistics | undefined {
    const last = this.#packed?.isAtStart ? this.#lastPacking : undefined;
    return last ?? this.#packed?.statistics;
  }

  /** Samples that were handed over by this object, over all epochs. */
  get consumed(): number {
    return this.#consumed;
  }

  /** Counts samples as handed over. */
  commit(samples: number): void {
    this.#position += samples;
    this.#consumed += samples;
    this.#packed?.commit(samples);
  }

  /** Goes to the start of an epoch. */
  begin(epoch: number): void {
    const start = { ...this.#start, epoch, samples: [] };
    const plan = planOf(this.table, this.#options, start);
    const packed = this.#packedEpoch(plan, this.#blocks);
    this.#lastPacking = this.packing;
    this.#goTo(start, plan, packed);
  }

  /** Starts to read what is left. */
  read(batchRows: number): BatchSource {
    const { readBatchSize, ioQueueDepth, fetch, lendBuffers } = this.#options;
    const options = {
      skip: this.#position,
      batchRows,
      ioQueueDepth,
      readyBytes,
      fetch,
      ...scratchOf(this.#options),
      lendBuffers,
      ...(readBatchSize !== undefined && { readBatchSize }),
    };
    return this.#packed?.read(options) ?? native(() => this.table.handle.start(this.#plan, options));
  }

  /** The state of what was handed over. */
  state(): StateDict {
    const { shuffle, shuffleClumpSize, remainder, filter } = this.#options;
    const packed = this.#packed?.state();
    const samples = (packed?.samples_consumed_per_split as number[] | undefined) ?? this.#samples();
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
      ...packed,
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
      samples: this.#packed === undefined ? state.samples : [],
    };
    const plan = planOfState(this.table, this.#options, start);
    if (this.#packed === undefined) checkOwner(state, plan);
    const blocks = state.fields.blocks_per_epoch ?? this.#blocks;
    const packed = checkingState("STATE_INVALID", () => this.#packedEpoch(plan, blocks));
    packed?.load(state);
    this.#blocks = blocks;
    this.#lastPacking = undefined;
    this.#goTo(start, plan, packed);
  }

  #goTo(start: EpochStart, plan: NativePlan, packed: PackedEpoch | undefined): void {
    this.#start = start;
    this.#plan = plan;
    this.#packed = packed;
    this.#position = 0;
  }

  async #beginPacking(options: ResolvedPacking, state: CheckedState | undefined): Promise<void> {
    const { blocksPerEpoch } = options;
    const adopted = blocksPerEpoch === "auto" ? state?.fields.blocks_per_epoch : blocksPerEpoch;
    this.#blocks = adopted ?? (await this.#estimate(options));
    this.#packed = this.#packedEpoch(this.#plan, this.#blocks);
  }

  #estimate(options: ResolvedPacking): Promise<number> {
    const { seed } = this.#start;
    // The estimate of every epoch and rank is that of epoch 0.
    const plan = planOf(this.table, this.#options, { ...this.#start, epoch: 0 });
    return estimateBlocks({ table: this.table.handle, plan, options, seed, signal: this.#options.signal });
  }

  #packedEpoch(plan: NativePlan, blocks: number | undefined): PackedEpoch | undefined {
    const { packing } = this.#options;
    if (packing === undefined || blocks === undefined) return;
    return new PackedEpoch(this.table.handle, plan, packing, blocks);
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
    comparePacking(fields, this.#options.packing, this.#blocks);
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

function planOfState(table: OpenedTable, options: ResolvedOptions, start: EpochStart): NativePlan {
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
function checkOwner({ owned, samples }: CheckedState, plan: NativePlan): void {
  const [first = 0, end = 0] = plan.ownedSplits;
  if ((first >= owned[0] && end <= owned[1]) || isUniform(samples)) return;
  throw new LanceLoaderError(
    "STATE_MISMATCH",
    `The state owns splits ${owned[0]} to ${owned[1] - 1} and its progress is uneven, but this dataset owns splits ${first} to ${end - 1}: ` +
      "merge the states of all ranks with StreamingDataset.mergeStateDicts first.",
  );
}

/** A random seed that fits a JavaScript number. */
function drawSeed(): bigint {
  return randomBytes(8).readBigUInt64LE() >> 11n;
}
