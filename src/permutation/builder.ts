import { checkInteger, checkString } from "../check.ts";
import { loadBinding } from "../native.ts";
import { type ResolvedSource, resolveSource, type TableSource } from "../tables/source.ts";
import {
  addCall,
  type BootstrapOptions,
  type Calls,
  canonical,
  type ShuffleOptions,
  type SplitCalculatedOptions,
  type SplitHashOptions,
  type SplitRandomOptions,
  type SplitSequentialOptions,
} from "./configuration.ts";
import type { DatabaseSource } from "./database.ts";
import { PermutationTable } from "./permutation-table.ts";
import { type BuildOptions, locationOf, type NativePermutation, settled, signalOf } from "./work.ts";

/** The memory and the temporary folder of a build. */
export interface BuildLimits {
  readonly memoryLimit?: number;
  readonly tempDir?: string;
}

/**
 * Begins to describe a permutation of a table: all rows in one split, in storage order, until the builder is told otherwise.
 *
 * @example
 * ```ts
 * const split = await permutationBuilder("data/digits.lance")
 *   .splitRandom({ ratios: [0.8, 0.2], seed: 7, splitNames: ["train", "val"] })
 *   .persist("data", "digits_split");
 * ```
 */
export function permutationBuilder(source: TableSource): PermutationBuilder {
  return new PermutationBuilder(source, {}, {});
}

/**
 * A description of a permutation. It never changes: each call gives a new one. Options are checked when they are given; what depends on the
 * table, by `execute` and `persist`.
 */
export class PermutationBuilder {
  readonly #source: TableSource;
  readonly #calls: Calls;
  /** @internal */
  readonly limits: BuildLimits;

  /** @internal */
  constructor(source: TableSource, calls: Calls, limits: BuildLimits) {
    this.#source = source;
    this.#calls = calls;
    this.limits = limits;
  }

  /** The canonical text of the description: two builders with equal texts give equal permutations of one snapshot. */
  get configuration(): string {
    return canonical(this.#calls);
  }

  /** Consecutive pieces of a shuffle of all rows. @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, as all calls. */
  splitRandom(options: SplitRandomOptions): PermutationBuilder {
    return this.#with("splitRandom", options);
  }

  /** Consecutive pieces of storage order. */
  splitSequential(options: SplitSequentialOptions): PermutationBuilder {
    return this.#with("splitSequential", options);
  }

  /** By the hash of the row's values: rows that come or go move no other row to another split. */
  splitHash(options: SplitHashOptions): PermutationBuilder {
    return this.#with("splitHash", options);
  }

  /** By an SQL expression. */
  splitCalculated(options: SplitCalculatedOptions): PermutationBuilder {
    return this.#with("splitCalculated", options);
  }

  /** Draws with replacement, each split from its own stream of the seed. They take no memory until they are stored. */
  bootstrapSample(options: BootstrapOptions): PermutationBuilder {
    return this.#with("bootstrapSample", options);
  }

  /** Shuffles each split. */
  shuffle(options: ShuffleOptions = {}): PermutationBuilder {
    return this.#with("shuffle", options);
  }

  /** Keeps the rows for which an SQL expression is true. */
  filter(sql: string): PermutationBuilder {
    return this.#with("filter", checkString("filter", sql));
  }

  /** The folder of temporary files, which a build above the memory limit needs. The system's by default. */
  tempDir(path: string): PermutationBuilder {
    return this.#limited({ tempDir: checkString("tempDir", path) });
  }

  /** Bytes that lists of rows may take before they go to disk. 100 MiB by default. */
  memoryLimit(bytes: number): PermutationBuilder {
    return this.#limited({ memoryLimit: checkInteger("memoryLimit", bytes, 1) });
  }

  /**
   * Builds the permutation on the table's version of now, or on the one at which an open table stands.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `INVALID_FILTER`, `UNKNOWN_COLUMN`, `TABLE_NOT_FOUND`, `UNSUPPORTED_SOURCE`, `READ_FAILED`,
   * `ROWS_MISSING`, `WRITE_FAILED` (of a temporary file), `ABORTED`.
   */
  async execute(options: BuildOptions = {}): Promise<PermutationTable> {
    const signal = signalOf(options);
    return await this.executeAt(await resolveSource(this.#source), signal);
  }

  /** Builds the permutation on a source that is resolved. @internal */
  async executeAt(source: ResolvedSource, signal: AbortSignal | undefined): Promise<PermutationTable> {
    return new PermutationTable(await this.#build(source, signal), source.uri);
  }

  /**
   * Builds the permutation and stores it as the table `name` of a LanceDB database, which Python LanceDB reads, too.
   *
   * @throws {@link LanceLoaderError} What `execute` throws, `ALREADY_EXISTS`, and `WRITE_FAILED`. Nothing of the table is there then.
   */
  async persist(
    database: DatabaseSource,
    name: string,
    options: BuildOptions = {},
  ): Promise<PermutationTable> {
    return await (await this.execute(options)).persist(database, name, options);
  }

  async #build(source: ResolvedSource, signal: AbortSignal | undefined): Promise<NativePermutation> {
    const text = JSON.stringify(this.#calls);
    const { remote, version, branch } = source;
    if (remote === undefined) {
      const base = locationOf(source);
      return await settled(() => loadBinding().buildPermutation(base, text, this.limits), signal);
    }
    const table = await remote.at({ version, branch, signal });
    return await settled(() => table.buildPermutation(text, this.limits), signal);
  }

  #with(name: string, options: unknown): PermutationBuilder {
    return new PermutationBuilder(this.#source, addCall(this.#calls, name, options), this.limits);
  }

  #limited(limits: BuildLimits): PermutationBuilder {
    return new PermutationBuilder(this.#source, this.#calls, { ...this.limits, ...limits });
  }
}
