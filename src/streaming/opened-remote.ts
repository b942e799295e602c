import { LanceLoaderError } from "../errors.ts";
import { native } from "../tables/native-errors.ts";
import type { RemoteSource } from "../tables/remote/source.ts";
import type { NativeTable } from "./opened.ts";
import { settledOpening } from "./opening.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Selection } from "./selection.ts";

/**
 * A remote table with the columns and the filter of `options`. Where a permutation names the rows it knows them already, and nothing is scanned again.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` for what a remote table does not have, and for a permutation of another table; `READ_FAILED`,
 * `INVALID_FILTER`, `UNKNOWN_COLUMN`, `UNSUPPORTED_TYPE`.
 */
export async function openRemoteTable(
  remote: RemoteSource,
  place: { readonly version: number | undefined; readonly branch: string | undefined },
  selection: Selection,
  options: ResolvedOptions,
): Promise<NativeTable> {
  const columns = options.columns && [...options.columns];
  const { memoryBudget, sharedBudget, signal } = options;
  const blobDescriptors = options.blobs === "descriptors";
  const { base } = selection;
  if (base !== undefined) {
    checkSameTable(remote, base.identity);
    return native(() => base.table(columns, memoryBudget, sharedBudget, blobDescriptors));
  }
  const table = await remote.at({ ...place, signal });
  const { filter } = options;
  const request = {
    blobDescriptors,
    memoryBudget,
    sharedBudget,
    ...(columns !== undefined && { columns }),
    ...(filter !== undefined && { filter }),
  };
  return await settledOpening(() => table.open(request), signal);
}

/** Refuses options of an object store, which a remote table has nothing to do with. */
export function refuseStorageOptions(options: ResolvedOptions): void {
  if (options.storageOptions === undefined) return;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    "storageOptions are those of an object store, but the table is a remote one: its connection has the options.",
  );
}

function checkSameTable(remote: RemoteSource, identity: string): void {
  if (identity === remote.identity) return;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `The permutation was built on the table "${identity}", not on "${remote.identity}": open the table that it is of.`,
  );
}
