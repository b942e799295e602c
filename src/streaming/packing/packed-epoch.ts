import type { Schema } from "apache-arrow";
import type { NativeBatch } from "../../arrow/layout.ts";
import { decodeSchema } from "../../arrow/schema.ts";
import { LanceLoaderError } from "../../errors.ts";
import type { NativeBinding } from "../../native.ts";
import type { BatchSource } from "../../tables/batch-reader.ts";
import { native } from "../../tables/native-errors.ts";
import type { NativePlan, NativeTable } from "../opened.ts";
import type { CheckedState, StateDict } from "../state.ts";
import type { PackingStatistics } from "../statistics.ts";
import { nativeOptions } from "./native-options.ts";
import type { ResolvedPacking } from "./options.ts";
import { checkingState, packingJson } from "./state.ts";

type NativePacking = InstanceType<NativeBinding["Packing"]>;
type NativePackedPipeline = InstanceType<NativeBinding["PackedPipeline"]>;
type StartOptions = Parameters<NativePacking["start"]>[1];

/** Tokens of a read that a plain loop over blocks makes. */
const sampleTokens = 2 ** 18;

/** An epoch of packed blocks: where it stands, and its reads. */
export class PackedEpoch {
  /** The columns of the batches. */
  readonly schema: Schema;
  /** Blocks of this rank and worker. */
  readonly total: number;
  /** Blocks that a plain loop reads at once. */
  readonly sampleRows: number;
  readonly #packing: NativePacking;
  readonly #splits: number;
  /** Where the read that is open began, or where the last one was left. */
  #state: string;
  /** Blocks that were handed over up to there. */
  #before = 0;
  /** Blocks that were handed over since. */
  #handed = 0;
  #pipeline: NativePackedPipeline | undefined;

  /**
   * At the start of an epoch.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `UNSUPPORTED_TYPE`.
   */
  constructor(table: NativeTable, plan: NativePlan, options: ResolvedPacking, blocks: number) {
    this.#packing = native(() => table.packing(plan, nativeOptions(options, blocks)));
    this.#state = native(() => this.#packing.startStateJson());
    this.schema = decodeSchema(native(() => this.#packing.schema));
    this.total = native(() => this.#packing.total);
    this.sampleRows = Math.max(1, Math.floor(sampleTokens / options.length));
    const [start = 0, end = 1] = native(() => plan.ownedSplits);
    this.#splits = end - start;
  }

  /** Whether nothing of the epoch was handed over. */
  get isAtStart(): boolean {
    return this.#before + this.#handed === 0;
  }

  /** The totals of what was handed over. */
  get statistics(): PackingStatistics {
    const pipeline = this.#pipeline;
    const { documents, ...totals } = native(() =>
      pipeline ? pipeline.statistics(this.#handed) : this.#packing.statistics(this.#state),
    );
    return { ...totals, documentsConsumed: documents };
  }

  /** Counts blocks as handed over. */
  commit(blocks: number): void {
    this.#handed += blocks;
  }

  /**
   * Goes to where a state stands.
   *
   * @throws {@link LanceLoaderError} `STATE_INVALID`, `STATE_MISMATCH`.
   */
  load(state: CheckedState): void {
    const json = packingJson(state);
    this.#state = checkingState("STATE_INVALID", () => this.#packing.check(json));
    checkingState("STATE_MISMATCH", () => this.#packing.checkCompleteCycle(json));
    this.#before = checkingState("STATE_INVALID", () => this.#packing.statistics(json)).blocks;
  }

  /**
   * The packing part of a state.
   *
   * @throws {@link LanceLoaderError} `STATE_INVALID` in the middle of a cycle.
   */
  state(): StateDict {
    const beyond = (this.#before + this.#handed) % this.#splits;
    if (beyond === 0) return JSON.parse(this.#stateJson());
    throw new LanceLoaderError(
      "STATE_INVALID",
      `${beyond} of the ${this.#splits} blocks of a cycle were handed over, and a state of packed blocks is of whole cycles: save it where the blocks ` +
        `that this rank was handed are a multiple of ${this.#splits}, the splits that it owns, for example with a batch size that is one.`,
    );
  }

  /** Starts to read what is left. The read's end, whatever ends it, leaves the epoch where its consumer is. */
  read(options: StartOptions): BatchSource {
    const pipeline = native(() => this.#packing.start(this.#state, options));
    this.#pipeline = pipeline;
    return {
      take: (maxRows): NativeBatch[] | null => pipeline.take(maxRows, this.#handed),
      wait: () => pipeline.wait(),
      close: () => this.#settle(pipeline),
    };
  }

  #settle(pipeline: NativePackedPipeline): void {
    if (this.#pipeline === pipeline) {
      this.#state = this.#stateJson();
      this.#before += this.#handed;
      this.#handed = 0;
      this.#pipeline = undefined;
    }
    pipeline.close();
  }

  #stateJson(): string {
    return native(() => this.#pipeline?.state(this.#handed)) ?? this.#state;
  }
}
