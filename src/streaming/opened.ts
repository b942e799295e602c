import type { Schema } from "apache-arrow";
import { decodeSchema } from "../arrow/schema.ts";
import { LanceLoaderError } from "../errors.ts";
import { loadBinding, type NativeBinding } from "../native.ts";
import type { ResolvedSource } from "../tables/source.ts";
import { aborted, fromNative, native } from "./native-errors.ts";
import type { ResolvedOptions } from "./options.ts";

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
  readonly numRows: number;
}

/** Opens a table with the columns and the filter of `options`. */
export async function openTable(source: ResolvedSource, options: ResolvedOptions): Promise<OpenedTable> {
  const { signal } = options;
  if (signal?.aborted) throw aborted(signal);
  const binding = loadBinding();
  const request = requestOf(source, options);
  const opening = native(() => binding.open(request));
  const cancel = () => opening.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    await opening.wait();
    return describe(opening.finish());
  } catch (error) {
    throw signal?.aborted ? aborted(signal) : fromNative(error);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

function requestOf(source: ResolvedSource, options: ResolvedOptions): Parameters<NativeBinding["open"]>[0] {
  const version = options.version ?? source.version;
  const branch = options.branch ?? source.branch;
  const storageOptions = source.storageOptions ?? options.storageOptions;
  if (options.branch !== undefined && source.branch !== undefined && options.branch !== source.branch)
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `branch is "${options.branch}", but the open table is on "${source.branch}": open one of them.`,
    );
  return {
    uri: source.uri,
    memoryBudget: options.memoryBudget,
    sharedBudget: options.sharedBudget,
    blobDescriptors: options.blobs === "descriptors",
    ...(storageOptions !== undefined && { storageOptions: { ...storageOptions } }),
    ...(version !== undefined && { version }),
    ...(branch !== undefined && { branch }),
    ...(options.columns !== undefined && { columns: [...options.columns] }),
    ...(options.filter !== undefined && { filter: options.filter }),
  };
}

function describe(handle: NativeTable): OpenedTable {
  return {
    handle,
    schema: decodeSchema(handle.schema),
    version: handle.version,
    branch: handle.branch ?? null,
    identity: handle.identity,
    numRows: handle.numRows,
  };
}
