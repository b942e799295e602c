import { invalid } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { loadBinding } from "../native.ts";
import { didYouMean } from "../nearest.ts";
import { native } from "../tables/native-errors.ts";
import { type ResolvedSource, resolveSource, type TableSource } from "../tables/source.ts";
import { type DatabaseSource, tableOf } from "./database.ts";
import { type BuildOptions, locationOf, type NativePermutation, settled, signalOf } from "./work.ts";

/** A permutation that was built, in memory or stored: which rows of one version of a table, in which order, in which split. */
export class PermutationTable {
  /** @internal */
  readonly handle: NativePermutation;
  /** Where the table lies whose rows these are. */
  readonly baseUri: string;
  /** Where the permutation is stored; `undefined` in memory. */
  readonly uri: string | undefined;

  /** @internal */
  constructor(handle: NativePermutation, baseUri: string, uri?: string) {
    this.handle = handle;
    this.baseUri = baseUri;
    this.uri = uri;
  }

  /** The names of the splits; `null` where they have none. A table of Python LanceDB may have fewer names than splits. */
  get splitNames(): readonly string[] | null {
    return this.handle.splitNames ?? null;
  }

  /** The number of rows of each split, repeats counted. */
  get splitLengths(): readonly number[] {
    return this.handle.splitLengths;
  }

  /** The version of the table that the rows are of. */
  get baseVersion(): number {
    return this.handle.baseVersion;
  }

  /** The branch of that version; `null` is main. */
  get baseBranch(): string | null {
    return this.handle.baseBranch ?? null;
  }

  /**
   * Stores the permutation as the table `name` of a LanceDB database.
   *
   * A write that fails, or is ended by its signal, leaves nothing of the table.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `ALREADY_EXISTS`, `UNSUPPORTED_SOURCE`, `WRITE_FAILED`, `ABORTED`.
   */
  async persist(
    database: DatabaseSource,
    name: string,
    options: BuildOptions = {},
  ): Promise<PermutationTable> {
    const signal = signalOf(options);
    const target = locationOf(await tableOf(database, name));
    await settled(() => this.handle.persist(target), signal);
    return new PermutationTable(this.handle, this.baseUri, target.uri);
  }

  /**
   * The number of a split.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
   * @internal
   */
  split(indexOrName: number | string): number {
    const { splitLengths, splitNames } = this;
    if (typeof indexOrName === "number") {
      if (Number.isInteger(indexOrName) && indexOrName >= 0 && indexOrName < splitLengths.length)
        return indexOrName;
      throw invalid("split", indexOrName, `a name, or a whole number from 0 to ${splitLengths.length - 1}`);
    }
    if (typeof indexOrName !== "string")
      throw invalid("split", indexOrName, "the number or the name of a split");
    const found = (splitNames ?? []).indexOf(indexOrName);
    if (found >= 0) return found;
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `split is "${indexOrName}", which is no split's name. ${didYouMean(indexOrName, splitNames ?? [])}`,
    );
  }
}

/** A permutation: one that was built, or the path, URI or open table of a stored one, ours or Python LanceDB's. */
export type PermutationSource = PermutationTable | TableSource;

/**
 * The permutation of a table that a source names, on the version that it was built on.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` for what is no permutation of this table; `VERSION_NOT_FOUND` where the version was cleaned up;
 * `ROWS_MISSING`; `TABLE_NOT_FOUND`, `UNSUPPORTED_SOURCE`, `READ_FAILED`.
 */
export async function resolvePermutation(
  table: TableSource,
  permutation: PermutationSource,
): Promise<PermutationTable> {
  const base = await resolveSource(table);
  if (!(permutation instanceof PermutationTable)) {
    const stored = locationOf(await resolveSource(permutation));
    const handle = await load(base, stored);
    return new PermutationTable(handle, base.uri, stored.uri);
  }
  if (permutation.baseUri !== base.uri) await checkSameTable(base, permutation);
  return permutation;
}

async function load(base: ResolvedSource, stored: ReturnType<typeof locationOf>): Promise<NativePermutation> {
  const { remote } = base;
  if (remote === undefined) {
    const location = locationOf(base);
    return await settled(() => loadBinding().loadPermutation(location, stored, {}));
  }
  const opening = native(() => loadBinding().openStoredPermutation(stored));
  await opening.wait();
  const table = native(() => opening.finish());
  const { baseVersion, baseBranch } = table;
  const place = typeof baseVersion === "number" ? { version: baseVersion, branch: baseBranch ?? "main" } : {};
  const pinned = await remote.at(place);
  return await settled(() => pinned.loadPermutation(table, {}));
}

/** A table may have two names, or have been moved: its files tell. Of a remote table the name is all there is. */
async function checkSameTable(base: ResolvedSource, permutation: PermutationTable): Promise<void> {
  const { baseVersion: version, baseBranch } = permutation;
  if (base.remote === undefined) {
    const at = { ...locationOf(base), version, ...(baseBranch !== null && { branch: baseBranch }) };
    const other = await settled(() => loadBinding().buildPermutation(at, "{}", {}));
    if (other.identity === permutation.handle.identity) return;
  }
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `The permutation was built on the table "${permutation.baseUri}", not on "${base.uri}": give the table that it is of.`,
  );
}
