import { join } from "node:path";
import { runScript } from "../peers/run-script.ts";

/** What a packer is asked to do. */
export interface PackingJob {
  readonly table: string;
  readonly length: number;
  /** Blocks of an epoch, without padding. */
  readonly blocks: number;
  readonly mode: "concat" | "bestFit";
  /** Whether documents come in random order, or as they are stored. */
  readonly shuffle: boolean;
  /** Bytes that this library may keep in memory. */
  readonly memoryBudget: number;
  /** After so many seconds it may stop. */
  readonly seconds: number;
}

/** What it did. */
export interface PackingOutput {
  /** Tokens that were handed over. */
  readonly tokens: number;
  /** From opening the table on. */
  readonly seconds: number;
  /** Of all its threads. */
  readonly cpuSeconds: number;
  /** Real tokens over all. */
  readonly utilization?: number;
  /** The same of a second epoch, where one was read. */
  readonly later?: PackingOutput;
}

/** Runs a script of this folder in a process of its own. Fails with what it wrote to stderr. */
export function runPacker(script: string, job: PackingJob): Promise<PackingOutput> {
  return runScript(join(import.meta.dirname, script), job);
}
