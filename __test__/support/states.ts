import type { StateDict, StreamingDataset } from "../../src/index.ts";
import { idOf } from "./reading.ts";

/** The ways by which a state travels. */
export const travels: readonly (readonly [string, (state: StateDict) => StateDict])[] = [
  ["JSON", throughJson],
  ["a structured clone", structuredClone],
];

/** A state as it comes back from a file. */
export function throughJson(state: StateDict): StateDict {
  return JSON.parse(JSON.stringify(state));
}

/** The rest of an epoch, sample by sample, and the state before each sample and behind the last one. */
export interface SavedRun {
  readonly ids: readonly number[];
  readonly states: readonly StateDict[];
}

/** Reads the rest of an epoch and saves a state at every step. */
export async function saveAtEveryStep(dataset: StreamingDataset): Promise<SavedRun> {
  const ids: number[] = [];
  const states = [throughJson(dataset.stateDict())];
  for await (const sample of dataset) {
    ids.push(idOf(sample));
    states.push(throughJson(dataset.stateDict()));
  }
  return { ids, states };
}
