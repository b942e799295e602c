import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { StateDict } from "lance-loader";

/** What a run needs to go on: where the data stands, and what was learned from it up to there. */
export interface Checkpoint {
  /** Where the dataset stands. */
  readonly state: StateDict;
  /** The classifier's weights. */
  readonly weights: Float32Array;
}

/** Saves a checkpoint as one file, at once: a kill in the middle leaves the one before it. */
export function saveCheckpoint(path: string, { state, weights }: Checkpoint): void {
  const bytes = Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength);
  writeFileSync(`${path}.next`, JSON.stringify({ state, weights: bytes.toString("base64") }));
  renameSync(`${path}.next`, path);
}

/** The last checkpoint, or `undefined` when there is none. */
export function loadCheckpoint(path: string): Checkpoint | undefined {
  if (!existsSync(path)) return undefined;
  const { state, weights } = JSON.parse(readFileSync(path, "utf8"));
  return { state, weights: new Float32Array(Uint8Array.from(Buffer.from(weights, "base64")).buffer) };
}
