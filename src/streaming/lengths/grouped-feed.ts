import type { Batch } from "../../arrow/batch.ts";
import { lengthsOf } from "../../arrow/variable-lengths.ts";
import { LanceLoaderError } from "../../errors.ts";
import { loadBinding } from "../../native.ts";
import { BatchReader } from "../../tables/batch-reader.ts";
import { native } from "../../tables/native-errors.ts";
import type { Feed, QueueRows, Samples } from "../feed.ts";
import type { Progress } from "../progress.ts";
import { checkSameGroups, type GroupByLength, type LengthGroupsState } from "./options.ts";

/**
 * Batches of rows of like length.
 *
 * The levels of an epoch are cut into blocks of `lookAhead` batches, counted from its start. A block is read at once and dealt into batches by the core. Progress is the number
 * of batches that were handed over, so that a resume inside of a block reads it again and leaves those out.
 */
export class GroupedFeed implements Feed<Batch> {
  readonly #progress: Progress;
  readonly #reader: BatchReader;
  readonly #column: string;
  readonly #batchRows: number;
  readonly #state: LengthGroupsState;
  /** Batches of the block that are not handed over yet. */
  #batches: Batch[] = [];
  #block: number;
  /** Batches of the first block that were handed over before. */
  #passed: number;
  /** Batches that were handed over since the start of the epoch. */
  #handed: number;

  /** @throws {@link LanceLoaderError} `STATE_MISMATCH` where the epoch does not stand between two batches of this grouping. */
  constructor(progress: Progress, { column, lookAhead }: GroupByLength, levels: number) {
    const [start, end] = progress.ownedSplits;
    this.#progress = progress;
    this.#column = column;
    this.#batchRows = levels * (end - start);
    this.#state = {
      version: loadBinding().LENGTH_GROUPS_ALGORITHM_VERSION,
      column,
      look_ahead: lookAhead,
      levels_of_step: levels,
    };
    this.#handed = batchesHanded(progress, this.#state);
    this.#block = Math.floor(this.#handed / lookAhead);
    this.#passed = this.#handed % lookAhead;
    const rows = progress.readFrom(this.#block * lookAhead * levels, lookAhead * this.#batchRows);
    this.#reader = new BatchReader(rows, progress.schema);
  }

  queues(_: number, rawRows: number, readyRows: number): QueueRows {
    const grouped = this.#batches.reduce((rows, batch) => rows + batch.numRows, 0);
    return { raw: rawRows, waiting: readyRows + this.#reader.waitingRows + grouped };
  }

  tryNext(): Samples<Batch> | null | undefined {
    for (;;) {
      const batch = this.#batches.shift();
      if (batch !== undefined) return samplesOf(batch);
      const block = this.#reader.tryNext();
      if (!block) return block;
      this.#group(block);
    }
  }

  async next(): Promise<Samples<Batch> | null> {
    for (;;) {
      const batch = this.tryNext();
      if (batch !== undefined) return batch;
      const block = await this.#reader.next();
      if (block === null) return null;
      this.#group(block);
    }
  }

  commit(samples: number): void {
    this.#progress.commit(samples);
    this.#handed++;
    const inside = this.#handed % this.#state.look_ahead !== 0;
    this.#progress.lengthGroups = inside ? this.#state : undefined;
  }

  finish(): void {}

  close(): void {
    this.#batches = [];
    this.#reader.close();
  }

  #group(rows: Batch): void {
    const { epoch, seed, ownedSplits } = this.#progress;
    const [start, end] = ownedSplits;
    const lengths = Array.from(lengthsOf(rows, this.#column));
    const options = {
      seed,
      epoch,
      block: this.#block++,
      splits: end - start,
      levelsOfStep: this.#state.levels_of_step,
    };
    const order = native(() => loadBinding().groupByLength(lengths, options));
    for (let at = this.#passed * this.#batchRows; at < order.length; at += this.#batchRows)
      this.#batches.push(rows.take(order.subarray(at, at + this.#batchRows)));
    this.#passed = 0;
  }
}

/** How many batches of the epoch were handed over; the state of the epoch must be one between two of them. */
function batchesHanded(progress: Progress, state: LengthGroupsState): number {
  checkSameGroups(progress.lengthGroups, state);
  const [start, end] = progress.ownedSplits;
  const { samples, positions } = progress.reached();
  const owned = [...samples.slice(start, end), ...positions.slice(start, end)];
  const [level = 0] = owned;
  const { levels_of_step } = state;
  const isWhole = owned.every((count) => count === level) && level % levels_of_step === 0;
  // Behind the last whole batch there is only the end.
  if (isWhole || progress.remaining === 0) return Math.ceil(level / levels_of_step);
  throw new LanceLoaderError(
    "STATE_MISMATCH",
    `The epoch stands inside of a batch of ${levels_of_step} samples of every split, and batches that are grouped by length can only go on between two of them: ` +
      "use the batch size that it was read with, or begin an epoch.",
  );
}

function samplesOf(batch: Batch): Samples<Batch> {
  return { numRows: batch.numRows, rows: () => batch.rows(), value: () => batch };
}
