import { type StateDict, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { idsOf } from "./reading.ts";
import { throughJson } from "./states.ts";

/** The datasets of all ranks of a run, read step by step. */
export class World implements AsyncDisposable {
  readonly #ranks: readonly StreamingDataset[];

  private constructor(ranks: readonly StreamingDataset[]) {
    this.#ranks = ranks;
  }

  static async open(path: string, worldSize: number, options: StreamingDatasetOptions): Promise<World> {
    const opened = Array.from({ length: worldSize }, (_, rank) =>
      StreamingDataset.open(path, { ...options, worldSize, rank }),
    );
    return new World(await Promise.all(opened));
  }

  /** The number of ranks. */
  get size(): number {
    return this.#ranks.length;
  }

  /** The states of all ranks, as files bring them back. */
  states(): StateDict[] {
    return this.#ranks.map((dataset) => throughJson(dataset.stateDict()));
  }

  /** Loads a state on all ranks. */
  load(state: StateDict): void {
    for (const dataset of this.#ranks) dataset.loadStateDict(state);
  }

  /**
   * Reads `steps(rank)` batches on each rank, or the rest of the epoch.
   *
   * @returns for each rank, its batches.
   */
  async read(
    batchSize: number,
    steps: (rank: number) => number = () => Number.POSITIVE_INFINITY,
  ): Promise<number[][][]> {
    return await Promise.all(this.#ranks.map((dataset, rank) => readSteps(dataset, batchSize, steps(rank))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const dataset of this.#ranks) await dataset.close();
  }
}

async function readSteps(dataset: StreamingDataset, batchSize: number, steps: number): Promise<number[][]> {
  const batches: number[][] = [];
  if (steps === 0) return batches;
  for await (const batch of dataset.batches(batchSize)) {
    batches.push(idsOf(batch));
    if (batches.length === steps) break;
  }
  return batches;
}
