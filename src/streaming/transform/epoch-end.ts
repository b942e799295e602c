import { show } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";

/**
 * The least number that any rank gives: a collective minimum, as `all_reduce` with `min` is. All ranks call it equally often and in the same
 * order.
 */
export type SyncEpochEnd = (n: number) => Promise<number>;

/** Samples of a rank that ranks agree on at once. */
const samplesPerStage = 256;

/**
 * Agrees with the other ranks, stage by stage, on the cycles that everybody can complete.
 *
 * Stages depend on what ranks share, and on what they agreed on, only: so every rank makes the same calls.
 */
export class EpochEnd {
  readonly #sync: SyncEpochEnd;
  readonly #stageCycles: number;
  /** The cycles, from the start of the epoch on, that everybody has; `undefined` before the first call. */
  #agreed: number | undefined;
  #isFinal = false;

  /** @param ownedSplits - the same on every rank. */
  constructor(sync: SyncEpochEnd, ownedSplits: number) {
    this.#sync = sync;
    this.#stageCycles = Math.max(1, Math.ceil(samplesPerStage / ownedSplits));
  }

  /** Whether the epoch ends behind what was agreed on. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /** Agrees on where to begin, given where this rank does; answers where the next stage ends. */
  async begin(cycles: number): Promise<number> {
    this.#agreed ??= await this.#least(cycles, 0);
    return this.#agreed + this.#stageCycles;
  }

  /**
   * Agrees on a stage, of which this rank has the cycles before number `complete`; answers with the number that everybody has.
   *
   * @throws {@link LanceLoaderError} `SYNC_FAILED`.
   */
  async agree(complete: number): Promise<number> {
    const before = this.#agreed ?? 0;
    const end = before + this.#stageCycles;
    this.#agreed = await this.#least(Math.min(complete, end), Math.min(complete, before));
    this.#isFinal = this.#agreed < end;
    return this.#agreed;
  }

  async #least(given: number, from: number): Promise<number> {
    let least: unknown;
    try {
      least = await this.#sync(given);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : show(cause);
      throw new LanceLoaderError("SYNC_FAILED", `syncEpochEnd failed: ${message}`, { cause });
    }
    if (typeof least === "number" && Number.isSafeInteger(least) && least >= from && least <= given)
      return least;
    throw new LanceLoaderError(
      "SYNC_FAILED",
      `syncEpochEnd gave ${show(least)} for ${given}: it must give the least number of all ranks, here a whole number from ${from} to ${given}. ` +
        "Do all ranks call it equally often?",
    );
  }
}
