import type { StoredWorkload } from "../workloads/workload.ts";

/** A way to read a shuffled epoch that is measured: a loader with its settings. One line of the table. */
export interface Contestant {
  /** Its name on the command line and in results. */
  readonly name: string;
  /** What readers see. */
  readonly title: string;
  /** This library, something to use instead of it, or what the machine allows: rows that are in memory, or an order that is not shuffled. */
  readonly kind: "ours" | "peer" | "limit";
  /** A file in `loaders/`, run by its ending. */
  readonly script: `${string}.ts` | `${string}.py`;
  /** Names of the workloads that it is measured on. All by default. */
  readonly workloads?: readonly string[];
  /** Whether text comes as strings of the language, and not as Arrow's. Other columns are the same either way. */
  readonly decoded?: boolean;
  /** Settings that the loader understands. */
  options?(workload: StoredWorkload): Readonly<Record<string, unknown>>;
  /** Which part of a run counts: one epoch from opening the table, the epochs after the first, or one epoch without its first batch. */
  readonly part?: "whole" | "later" | "rest";
}
