import { Queue } from "../queue.ts";
import type { HandOver } from "./hand-over.ts";
import { joinOutputs } from "./outputs/join-outputs.ts";
import type { Outputs } from "./outputs/outputs.ts";
import type { TransformedBatch } from "./transformed-batch.ts";

/** Where the samples of a {@link SplitOrder} come from, and where what was handed over is counted. */
export interface SplitOrderOptions {
  /** The first split that is owned. */
  readonly firstSplit: number;
  /** For each owned split its rows in the whole epoch, */
  readonly lengths: readonly number[];
  /** the samples that were handed over before, */
  readonly samples: readonly number[];
  /** and the rows that were passed before. */
  readonly positions: readonly number[];
  /** The splits of the plan's rows from number `from` on. */
  splits(from: number, count: number): Uint32Array;
  /** Counts a row as handed over; says how many rows of its split were skipped before it. */
  pass(split: number, position: number): number;
  /** Counts rows as skipped. */
  skipped(rows: number): void;
}

/** Outputs of one batch, and how many of them were not taken. */
interface Held {
  readonly outputs: Outputs;
  left: number;
}

/** A sample: which output it is, and the row that it is made of. */
interface Sample {
  readonly held: Held;
  readonly index: number;
  readonly split: number;
  readonly position: number;
}

/**
 * Hands over the rows that survive by the rule of the plan: the next sample is always from the owned split that has yielded least.
 *
 * Only complete cycles are handed over, those in which every owned split has a sample that would have one without skips, and of those only as many as
 * were released.
 */
export class SplitOrder implements HandOver {
  readonly #options: SplitOrderOptions;
  /** For each owned split, the samples that wait for their cycle, */
  readonly #queues: readonly Queue<Sample>[];
  /** the number of samples that have come, those handed over before included, */
  readonly #arrived: number[];
  /** and the position of the next row. */
  readonly #nextPositions: number[];
  readonly #ready = new Queue<Sample>();
  readonly #taken = new Queue<Sample>();
  readonly #longest: number;
  /** The first cycle that is not known to be complete. */
  #complete: number;
  /** The first cycle that was not moved to `ready`. */
  #released: number;
  #waitingRows = 0;
  #heldBatches = 0;
  /** Skipped rows that were not counted yet. */
  #uncounted = 0;

  constructor(options: SplitOrderOptions) {
    const { lengths, samples, positions } = options;
    this.#options = options;
    this.#queues = lengths.map(() => new Queue());
    this.#arrived = [...samples];
    this.#nextPositions = [...positions];
    this.#longest = lengths.reduce((most, length) => Math.max(most, length), 0);
    this.#complete = samples.reduce((least, count) => Math.min(least, count), this.#longest);
    this.#released = this.#complete;
  }

  get readyRows(): number {
    return this.#ready.length;
  }

  get waitingRows(): number {
    return this.#waitingRows;
  }

  get heldBatches(): number {
    return this.#heldBatches;
  }

  /** The number of cycles, from the start of the epoch on, that are known to be complete. */
  get completeCycles(): number {
    while (this.#complete < this.#longest && this.#isComplete(this.#complete)) this.#complete++;
    return this.#complete;
  }

  add({ from, numRows, outputs, failed }: TransformedBatch): void {
    const { firstSplit, splits } = this.#options;
    const held = outputs && { outputs, left: outputs.numRows };
    if (held !== undefined) this.#heldBatches++;
    this.#uncounted += failed.length;
    const failedRows = new Set(failed.map(({ row }) => row));
    let index = 0;
    for (const [row, split] of splits(from, numRows).entries()) {
      const owned = split - firstSplit;
      const position = this.#nextPositions[owned] ?? 0;
      this.#nextPositions[owned] = position + 1;
      if (held === undefined || failedRows.has(row)) continue;
      this.#queues[owned]?.push({ held, index: index++, split, position });
      this.#arrived[owned] = (this.#arrived[owned] ?? 0) + 1;
    }
    this.#waitingRows += index;
  }

  /** Lets the complete cycles before number `cycles` be taken. */
  release(cycles: number): void {
    for (const end = Math.min(cycles, this.completeCycles); this.#released < end; this.#released++) {
      for (const [owned, queue] of this.#queues.entries()) {
        const sample = this.#isIn(this.#released, owned) && queue.shift();
        if (sample) this.#ready.push(sample);
      }
    }
  }

  take(rows: number): Outputs {
    const samples = Array.from({ length: rows }, () => this.#takeSample());
    this.#waitingRows -= rows;
    return joinOutputs(runsOf(samples));
  }

  commit(samples: number): void {
    for (let committed = 0; committed < samples; committed++) {
      const { split, position } = this.#taken.shift() as Sample;
      this.#count(this.#options.pass(split, position));
    }
  }

  /** Counts the skipped rows behind the last sample, too. */
  finish(): void {
    this.#count(this.#uncounted);
  }

  #takeSample(): Sample {
    const sample = this.#ready.shift() as Sample;
    this.#taken.push(sample);
    sample.held.left--;
    if (sample.held.left === 0) this.#heldBatches--;
    return sample;
  }

  #count(skipped: number): void {
    this.#uncounted -= skipped;
    if (skipped > 0) this.#options.skipped(skipped);
  }

  /** Whether a split has a sample in a cycle if nothing is skipped. */
  #isIn(cycle: number, owned: number): boolean {
    const { samples, lengths } = this.#options;
    return (samples[owned] ?? 0) <= cycle && cycle < (lengths[owned] ?? 0);
  }

  #isComplete(cycle: number): boolean {
    return this.#arrived.every((arrived, owned) => !this.#isIn(cycle, owned) || arrived > cycle);
  }
}

/** The outputs of samples, those that stand one behind the other in a batch in one piece. */
function runsOf(samples: readonly Sample[]): Outputs[] {
  const runs: Outputs[] = [];
  for (let start = 0, end = 0; start < samples.length; start = end) {
    const { held, index } = samples[start] as Sample;
    const follows = () => samples[end]?.held === held && samples[end]?.index === index + end - start;
    while (follows()) end++;
    runs.push(held.outputs.slice(index, index + end - start));
  }
  return runs;
}
