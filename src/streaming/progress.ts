import { randomBytes } from "node:crypto";
import type { Schema } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import { loadBinding } from "../native.ts";
import type { BatchSource } from "../tables/batch-reader.ts";
import { native } from "../tables/native-errors.ts";
import { publishSkip } from "./diagnostics.ts";
import { type EpochStart, planOf } from "./epoch-plan.ts";
import { checkSameGroups, type LengthGroupsState } from "./lengths/options.ts";
import { isUniform } from "./merge.ts";
import type { Mixed } from "./mixture/mixed.ts";
import type { NativePlan, OpenedTable } from "./opened.ts";
import type { ResolvedOptions } from "./options.ts";
import { estimateBlocks } from "./packing/estimate.ts";
import type { ResolvedPacking } from "./packing/options.ts";
import { PackedEpoch } from "./packing/packed-epoch.ts";
import { checkingState } from "./packing/state.ts";
import { readOptions } from "./read-options.ts";
import { SplitProgress } from "./split-progress.ts";
import { type CheckedState, type StateDict, seedOf, stateFormat } from "./state.ts";
import { checkOwner, compareState, planOfState } from "./state-fit.ts";
import type { PackingStatistics } from "./statistics.ts";

/** A read of the rest of an epoch. */
export interface EpochRows {
  readonly pipeline: BatchSource;
  readonly plan: NativePlan;
  /** The number, in the plan, of its first row. */
  readonly from: number;
  /** The first split that is owned, and the one behind the last. */
  readonly ownedSplits: readonly [number, number];
}

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
  /** How batches are grouped by length, where the epoch stands inside of a look-ahead. */
  lengthGroups: LengthGroupsState | undefined;
  /** Samples of the plan that were handed over. */
  #position = 0;
  /** Where rows may be skipped: what was handed over of each split, instead of the position. */
  #bySplit: SplitProgress | undefined;
  #consumed = 0;
  #skipped = 0;
  #transformSeconds = 0;

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
      positions: [],
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

  /** Rows of each split that the caller wants in one read. */
  get readBatchSize(): number | undefined {
    return this.#options.readBatchSize;
  }

  /** The splits of this rank and worker. */
  get ownedSplits(): readonly [number, number] {
    const [start = 0, end = 0] = this.#plan.ownedSplits;
    return [start, end];
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

  /** Rows that were skipped by this object, over all epochs. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Seconds that calls of the transform took, over all epochs. */
  get transformSeconds(): number {
    return this.#transformSeconds;
  }

  /** The options, with which it was opened. */
  get options(): ResolvedOptions {
    return this.#options;
  }

  /** Whether nothing of the epoch was handed over on any rank. */
  get isAtStart(): boolean {
    return this.#exact().positions.every((position) => position === 0);
  }

  /** The samples of the epoch that were not handed over. */
  get remaining(): number {
    return native(() => this.#plan.remaining) - this.#position;
  }

  /** The plan of the whole epoch with all its steps, of this rank and worker or of one that is alone. */
  wholePlan(alone: boolean): NativePlan {
    const topology = alone && { rank: 0, worldSize: 1, worker: { id: 0, numWorkers: 1 } };
    const options = { ...this.#options, ...topology, skipSteps: [] };
    return planOf(this.table, options, { ...this.#start, samples: [], positions: [] });
  }

  /** How many samples of each split each dataset of the mixture has given, and which splits are owned. */
  mixtureCounts(mixed: Mixed): { readonly counts: number[][]; readonly owned: readonly [number, number] } {
    const { seed, epoch, base } = this.#start;
    const levels = this.#wholeLevels(this.#exact().positions);
    return { counts: mixed.counts({ seed, epoch, base }, levels), owned: this.ownedSplits };
  }

  /** Counts samples as handed over. */
  commit(samples: number): void {
    this.#position += samples;
    this.#consumed += samples;
    this.#packed?.commit(samples);
  }

  /**
   * Counts one sample as handed over, by its row, once `countBySplit` was called.
   *
   * @returns how many rows of the split were skipped before it.
   */
  pass(split: number, position: number): number {
    this.#consumed++;
    return this.#bySplit?.pass(split, position) ?? 0;
  }

  /** Counts rows as skipped. */
  countSkipped(rows: number): void {
    this.#skipped += rows;
    if (rows > 0) publishSkip(() => ({ epoch: this.epoch, rows, rowsSkipped: this.#skipped }));
  }

  /** Counts what a call of the transform took. */
  countTransform(seconds: number): void {
    this.#transformSeconds += seconds;
  }

  /** Counts by split from now on: the rows that are handed over are not the next ones of the plan. */
  countBySplit(): SplitProgress {
    this.#bySplit ??= this.#exact();
    return this.#bySplit;
  }

  /** Goes to the start of an epoch. */
  begin(epoch: number): void {
    const { base } = this.#start;
    // Before its weights were changed, an epoch of a mixture can't be had again.
    const samples = base?.epoch === epoch ? new Array<number>(this.numSplits).fill(base.level) : [];
    const start = { ...this.#start, epoch, samples, positions: samples };
    const plan = planOf(this.table, this.#options, start);
    const packed = this.#packedEpoch(plan, this.#blocks);
    this.#lastPacking = this.packing;
    this.#goTo(start, plan, packed);
  }

  /**
   * Starts to read what is left.
   *
   * @throws {@link LanceLoaderError} `STATE_MISMATCH` where the epoch stands inside of a look-ahead of grouped batches.
   */
  read(batchRows: number): EpochRows {
    checkSameGroups(this.lengthGroups, undefined);
    this.#planAhead();
    const plan = this.#plan;
    const from = this.#position;
    const options = readOptions(this.#options, from, batchRows);
    const pipeline = this.#packed?.read(options) ?? native(() => this.table.handle.start(plan, options));
    return { pipeline, plan, from, ownedSplits: this.ownedSplits };
  }

  /** Starts to read the epoch from sample number `level` of every split on, whatever was handed over. */
  readFrom(level: number, batchRows: number): BatchSource {
    const levels = new Array<number>(this.numSplits).fill(level);
    const plan = planOf(this.table, this.#options, { ...this.#start, samples: levels, positions: levels });
    return native(() => this.table.handle.start(plan, readOptions(this.#options, 0, batchRows)));
  }

  /** The state of what was handed over. */
  state(): StateDict {
    const { shuffle, shuffleClumpSize, remainder, filter } = this.#options;
    const { mixture } = this.table.selection;
    const packed = this.#packed?.state();
    const documents = packed?.samples_consumed_per_split as number[] | undefined;
    const { samples, positions } =
      documents === undefined
        ? this.#whole(this.reached())
        : { samples: documents, positions: [...documents] };
    return {
      shuffle_seed: seedOf(this.seed),
      num_splits: this.numSplits,
      epoch: this.epoch,
      samples_consumed_per_split: samples,
      positions_consumed_per_split: positions,
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
      owned_splits: this.ownedSplits,
      ...(this.lengthGroups && { length_groups: this.lengthGroups }),
      ...(mixture && { mixture: mixture.state(this.#start.base) }),
      ...packed,
    };
  }

  /**
   * Goes to where a state stands.
   *
   * @throws {@link LanceLoaderError} `STATE_MISMATCH`, `STATE_INVALID`. Nothing has changed then.
   */
  load(state: CheckedState): void {
    compareState(state, this.table, this.#options, this.#blocks);
    const base = this.table.selection.mixture?.resume(state);
    const start = {
      seed: state.seed,
      ...(base && { base }),
      numSplits: state.numSplits,
      epoch: state.epoch,
      samples: this.#packed === undefined ? state.samples : [],
      positions: this.#packed === undefined ? state.positions : [],
    };
    const plan = planOfState(this.table, this.#options, start);
    if (this.#packed === undefined) checkOwner(state, plan);
    const blocks = state.fields.blocks_per_epoch ?? this.#blocks;
    const packed = checkingState("STATE_INVALID", () => this.#packedEpoch(plan, blocks));
    packed?.load(state);
    this.#blocks = blocks;
    this.#lastPacking = undefined;
    this.#goTo(start, plan, packed);
    this.lengthGroups = state.fields.length_groups;
  }

  #goTo(start: EpochStart, plan: NativePlan, packed: PackedEpoch | undefined): void {
    this.#start = start;
    this.#plan = plan;
    this.#packed = packed;
    this.#position = 0;
    this.#bySplit = undefined;
    this.lengthGroups = undefined;
  }

  /** Makes the plan one of what is left, where it was counted by split: rows that were skipped shift what comes. */
  #planAhead(): void {
    if (this.#bySplit === undefined) return;
    const { samples, positions } = this.#whole(this.#bySplit);
    this.#plan = planOf(this.table, this.#options, { ...this.#start, samples, positions });
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
   * What was handed over and passed of each split, without what `skipSteps` leaves out: exact for the owned ones. Where all splits stood alike when the epoch was begun, the
   * ranks go in step, so that the others stand where the owned ones do; else they stand where it was begun.
   */
  reached(): SplitProgress {
    const { samples, positions } = this.#exact();
    if (!isUniform(this.#start.samples)) return new SplitProgress(samples, positions);
    const [start, end] = this.ownedSplits;
    const cycles = Math.floor(this.table.numRows / this.numSplits);
    const [wholeCycles = 0] = native(() =>
      this.#plan.leftLevels([Math.min(cycles, Number.MAX_SAFE_INTEGER)]),
    );
    const inStep = samples.slice(start, end).reduce((least, count) => Math.min(least, count), wholeCycles);
    const ahead = samples.map((count, split) =>
      split >= start && split < end ? 0 : Math.max(0, inStep - count),
    );
    const moved = (counts: readonly number[]) => counts.map((count, split) => count + (ahead[split] ?? 0));
    return new SplitProgress(moved(samples), moved(positions));
  }

  /** Counts of each split, what `skipSteps` leaves out before them included. */
  #whole({ samples, positions }: SplitProgress): SplitProgress {
    return new SplitProgress(this.#wholeLevels(samples), this.#wholeLevels(positions));
  }

  #wholeLevels(counts: readonly number[]): number[] {
    return native(() => this.#plan.wholeLevels([...counts]));
  }

  /** The same, with other ranks' splits where they stood when the epoch was begun. */
  #exact(): SplitProgress {
    const { samples, positions } = this.#bySplit ?? {
      samples: native(() => this.#plan.progressAfter(this.#position)),
      positions: native(() => this.#plan.positionsAfter(this.#position)),
    };
    return new SplitProgress(samples, positions);
  }
}

/** A random seed that fits a JavaScript number. */
function drawSeed(): bigint {
  return randomBytes(8).readBigUInt64LE() >> 11n;
}
