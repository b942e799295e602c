import { checkOptions, invalid } from "../check.ts";
import { loadBinding } from "../native.ts";
import { native } from "../tables/native-errors.ts";

/** The sizes of splits: exactly one of the three. */
export interface SplitSizes {
  /** The share of each split: each above 0 and at most 1, together at most 1. Sizes are rounded to the nearest row. */
  readonly ratios?: readonly number[];
  /** The rows of each split. */
  readonly counts?: readonly number[];
  /** The number of equal splits; rows that are left over are dropped. */
  readonly fixed?: number;
}

/** What every split strategy takes. */
export interface NamedSplits {
  /** One name for each split. */
  readonly splitNames?: readonly string[];
}

/** Options of `splitRandom`. */
export interface SplitRandomOptions extends SplitSizes, NamedSplits {
  /** A safe integer or a `bigint` below 2^64. @default 0 */
  readonly seed?: number | bigint;
  /** Runs of this many rows stay together. @default 1 */
  readonly clumpSize?: number;
}

/** Options of `splitSequential`. */
export interface SplitSequentialOptions extends SplitSizes, NamedSplits {}

/** Options of `splitHash`. */
export interface SplitHashOptions extends NamedSplits {
  /** The columns whose values are hashed, in this order. */
  readonly columns: readonly string[];
  /** The share of each split, as whole numbers of at least 1. */
  readonly splitWeights: readonly number[];
  /** The share of the rows that no split gets. @default 0 */
  readonly discardWeight?: number;
}

/** Options of `splitCalculated`. */
export interface SplitCalculatedOptions extends NamedSplits {
  /** An SQL expression that gives the number of the row's split; null or a negative number drops the row. */
  readonly calculation: string;
}

/** Options of `bootstrapSample`. */
export interface BootstrapOptions extends SplitSizes, NamedSplits {
  /** The number of draws that the sizes divide; it may exceed the rows. */
  readonly numSamples: number;
  /** A safe integer or a `bigint` below 2^64. @default 0 */
  readonly seed?: number | bigint;
}

/** Options of `shuffle`. */
export interface ShuffleOptions {
  /** A safe integer or a `bigint` below 2^64. @default 0 */
  readonly seed?: number | bigint;
  /** Runs of this many rows stay together. @default 1 */
  readonly clumpSize?: number;
}

/** The calls of a builder with their options, by the names that the addon reads. */
export type Calls = Readonly<Record<string, unknown>>;

const sizes = ["ratios", "counts", "fixed"];
const known: Readonly<Record<string, readonly string[]>> = {
  splitRandom: [...sizes, "seed", "clumpSize", "splitNames"],
  splitSequential: [...sizes, "splitNames"],
  splitHash: ["columns", "splitWeights", "discardWeight", "splitNames"],
  splitCalculated: ["calculation", "splitNames"],
  bootstrapSample: ["numSamples", ...sizes, "seed", "splitNames"],
  shuffle: ["seed", "clumpSize"],
};

/**
 * The calls with one more, checked as far as that is possible without the table.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
 */
export function addCall(calls: Calls, name: string, options: unknown): Calls {
  const names = known[name];
  if (names !== undefined) checkOptions(name, options, names);
  const added = { ...calls, [name]: plain(name, options) };
  canonical(added);
  return added;
}

/** The canonical text of a configuration: equal ones have equal texts. */
export function canonical(calls: Calls): string {
  return native(() => loadBinding().checkPermutation(JSON.stringify(calls)));
}

/** A copy as JSON can tell it: a `bigint` as its digits. What JSON would change in silence is refused. */
function plain(argument: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(argument, value, "a finite number");
  if (typeof value === "function" || typeof value === "symbol")
    throw invalid(argument, value, "a plain value");
  if (Array.isArray(value))
    return Array.from(value, (item, index) => plain(`${argument}[${index}]`, item ?? null));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(key, item)]));
}
