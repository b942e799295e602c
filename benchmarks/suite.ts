import type { ParseArgsOptionsConfig } from "node:util";
import type { Report } from "./report/report.ts";

/** What the command line gave for a suite's options. */
export type SuiteValues = Readonly<Record<string, string | boolean | undefined>>;

/** Measurements that are made and reported together. */
export interface Suite {
  /** Its options, as `parseArgs` of `node:util` takes them, with a text for the help. */
  readonly options: { readonly [name: string]: ParseArgsOptionsConfig[string] & { readonly help: string } };
  /** Measures. What it throws ends the command with exit code 1. */
  run(values: SuiteValues): Promise<Report>;
}

/** A whole number of an option, 1 or more. */
export function wholeNumber(values: SuiteValues, name: string): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new Error(`--${name} is ${JSON.stringify(values[name])}, and must be a whole number from 1.`);
}

/** The names of an option such as `--workloads W1,W3`, each of which must be one of `known`; all of them by default. */
export function choice(values: SuiteValues, name: string, known: readonly string[]): string[] {
  const value = values[name];
  if (typeof value !== "string") return [...known];
  const names = value.split(",");
  for (const chosen of names) {
    if (!known.includes(chosen))
      throw new Error(`--${name} names ${JSON.stringify(chosen)}, and there are: ${known.join(", ")}.`);
  }
  return known.filter((candidate) => names.includes(candidate));
}
