import type { Schema } from "apache-arrow";
import { decodeSchema } from "../arrow/schema.ts";
import { invalid } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { loadBinding, type NativeBinding } from "../native.ts";
import { aborted, fromNative } from "../tables/native-errors.ts";
import type { RemoteSource } from "../tables/remote/source.ts";
import type { ResolvedSource } from "../tables/source.ts";
import { openRemoteTable, refuseStorageOptions } from "./opened-remote.ts";
import { settledOpening } from "./opening.ts";
import type { ResolvedOptions } from "./options.ts";
import { type Selection, selectionOf } from "./selection.ts";

/** The addon's handle of a table. */
export type NativeTable = InstanceType<NativeBinding["Table"]>;
/** The addon's handle of a plan. */
export type NativePlan = InstanceType<NativeBinding["Plan"]>;

/** A table that was opened, and what is known of it. */
export interface OpenedTable {
  readonly handle: NativeTable;
  readonly schema: Schema;
  readonly version: number;
  readonly branch: string | null;
  readonly identity: string;
  /** The rows of an epoch. */
  readonly numRows: number;
  /** Which rows those are. */
  readonly selection: Selection;
}

/** Opens a table with the columns and the filter of `options`. */
export async function openTable(source: ResolvedSource, options: ResolvedOptions): Promise<OpenedTable> {
  const { signal } = options;
  if (signal?.aborted) throw aborted(signal);
  try {
    if (source.remote !== undefined) return await openRemote(source, source.remote, options);
    const request = requestOf(source, options);
    const handle = await settledOpening(() => loadBinding().open(request), signal);
    return await closedUnless(handle, async () => {
      const selection = await selectionOf(pinnedTo(handle, source, options), options);
      return describe(handle, selection);
    });
  } catch (error) {
    throw signal?.aborted ? aborted(signal) : fromNative(error);
  }
}

/** A permutation or a strategy comes first: it knows the rows, which are then not scanned again. */
async function openRemote(
  source: ResolvedSource,
  remote: RemoteSource,
  options: ResolvedOptions,
): Promise<OpenedTable> {
  refuseStorageOptions(options);
  const place = placeOf(source, options);
  const { version, branch } = place;
  const pinned = { uri: source.uri, remote, ...(version !== undefined && { version }) };
  const selection = await selectionOf({ ...pinned, ...(branch !== undefined && { branch }) }, options);
  const handle = await openRemoteTable(remote, place, selection, options);
  return await closedUnless(handle, () => describe(handle, selection));
}

function requestOf(source: ResolvedSource, options: ResolvedOptions): Parameters<NativeBinding["open"]>[0] {
  const { version, branch } = placeOf(source, options);
  const storageOptions = source.storageOptions ?? options.storageOptions;
  return {
    uri: source.uri,
    memoryBudget: options.memoryBudget,
    sharedBudget: options.sharedBudget,
    blobDescriptors: options.blobs === "descriptors",
    ...(storageOptions !== undefined && { storageOptions: { ...storageOptions } }),
    ...options.cache,
    ...(version !== undefined && { version }),
    ...(branch !== undefined && { branch }),
    ...(options.columns !== undefined && { columns: [...options.columns] }),
    // A strategy's builder has the filter.
    ...(options.filter !== undefined && options.splitStrategy === undefined && { filter: options.filter }),
  };
}

/** The version and the branch to open: those of the permutation, where there is one. */
function placeOf(
  source: ResolvedSource,
  { version, branch, permutation }: ResolvedOptions,
): { version: number | undefined; branch: string | undefined } {
  if (branch !== undefined && source.branch !== undefined && branch !== source.branch)
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `branch is "${branch}", but the open table is on "${source.branch}": open one of them.`,
    );
  if (permutation === undefined)
    return { version: version ?? source.version, branch: branch ?? source.branch };
  const { baseVersion, baseBranch } = permutation.source.table;
  if ((version ?? baseVersion) !== baseVersion)
    throw invalid("version", version, `${baseVersion}, the one that the permutation was built on`);
  if (branch !== undefined && branch !== (baseBranch ?? "main"))
    throw invalid("branch", branch, `"${baseBranch ?? "main"}", the one that the permutation was built on`);
  return { version: baseVersion, branch: baseBranch ?? undefined };
}

/** The same source at the version that was opened. */
function pinnedTo(handle: NativeTable, source: ResolvedSource, options: ResolvedOptions): ResolvedSource {
  const { version } = handle;
  const branch = handle.branch ?? null;
  const storageOptions = source.storageOptions ?? options.storageOptions;
  return {
    uri: source.uri,
    version,
    ...(branch !== null && { branch }),
    ...(storageOptions !== undefined && { storageOptions: { ...storageOptions } }),
  };
}

function describe(handle: NativeTable, selection: Selection): OpenedTable {
  const { version, identity } = handle;
  const branch = handle.branch ?? null;
  const numRows = selection.numRows ?? handle.numRows;
  return { handle, schema: decodeSchema(handle.schema), version, branch, identity, numRows, selection };
}

async function closedUnless<Result>(
  handle: NativeTable,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    handle.close();
    throw error;
  }
}
