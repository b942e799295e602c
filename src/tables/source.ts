import { resolve } from "node:path";
import { checkOptions, invalid, show } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { normalizeLocation } from "./location.ts";
import { isRemoteHandle, remoteName } from "./remote/handle.ts";
import { type RemoteOptions, RemoteSource, remoteOptions } from "./remote/source.ts";

/** A table named by its location and, where the object store needs them, options. */
export interface TableLocation {
  /** A local path, a `file:` URL or an object-store URI (`s3://`, `gs://`, `az://`) of the table itself: a folder `name.lance`. */
  readonly uri: string | URL;
  /** Options of the object store by Lance's own names, credentials included. They are never printed. */
  readonly storageOptions?: Readonly<Record<string, string>>;
}

/** What is used of an open table of `@lancedb/lancedb`. Any version whose `Table` has these works. */
export interface LanceDbTable {
  /** The table's name. */
  readonly name: string;
  /** Whether the table is open. */
  isOpen(): boolean;
  /** A description: the only place where the table tells its location. */
  display(): string;
  /** The version that the table is at, or was checked out at. */
  version(): Promise<number>;
  /** The branch, `null` or `"main"` for main. */
  currentBranch?(): Promise<string | null | undefined> | string | null | undefined;
  /** The options with which the database was opened. */
  initialStorageOptions?(): Promise<Record<string, string> | null | undefined>;
}

/** An open remote (`db://`) table of `@lancedb/lancedb`, and how its server is asked. */
export interface RemoteTableSource extends RemoteOptions {
  /** The table. */
  readonly table: LanceDbTable;
}

/** What a dataset can be opened from. */
export type TableSource = string | URL | TableLocation | LanceDbTable | RemoteTableSource;

/** What the addon needs to open a source. */
export interface ResolvedSource {
  /** The location; of a remote table what tells it from others. */
  readonly uri: string;
  readonly storageOptions?: Record<string, string>;
  readonly version?: number;
  readonly branch?: string;
  /** Who asks the server, where the table is a remote one. */
  readonly remote?: RemoteSource;
}

/**
 * Finds out where a source lies, and at which version an open table stands.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` for what is no source, `UNSUPPORTED_SOURCE` for one that can't be opened
 * again by its location.
 */
export async function resolveSource(source: TableSource): Promise<ResolvedSource> {
  if (typeof source === "string" || source instanceof URL) return { uri: locate("source", source) };
  if (typeof source === "object" && source !== null) {
    if ("uri" in source) return resolveLocation(source);
    if (isLanceDbTable(source)) return resolveTable(source);
    if ("table" in source) return resolveRemote(source);
  }
  throw invalid(
    "source",
    source,
    "the path or URI of a Lance table, { uri, storageOptions }, an open table of @lancedb/lancedb, or { table } with a remote one",
  );
}

function resolveLocation(source: TableLocation): ResolvedSource {
  const uri = locate("source.uri", source.uri);
  if (source.storageOptions === undefined) return { uri };
  return { uri, storageOptions: checkStorageOptions("source.storageOptions", source.storageOptions) };
}

/**
 * Options of an object store, as a copy. No message tells a value: it may be a secret.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
 */
export function checkStorageOptions(argument: string, options: unknown): Record<string, string> {
  const valid = typeof options === "object" && options !== null && !Array.isArray(options);
  if (!valid || Object.values(options).some((value) => typeof value !== "string"))
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `${argument} must be an object whose values are all strings.`,
    );
  return { ...(options as Record<string, string>) };
}

function locate(argument: string, location: unknown): string {
  const isUrl = location instanceof URL;
  if (!isUrl && (typeof location !== "string" || location === ""))
    throw invalid(argument, location, "a path or a URI");
  try {
    return normalizeLocation(location as string | URL, process.platform === "win32", (path) => resolve(path));
  } catch (cause) {
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      `${argument} is ${show(String(location))}, which is no usable file URL: give a path instead.`,
      { cause },
    );
  }
}

function isLanceDbTable(source: object): source is LanceDbTable {
  const table = source as Partial<LanceDbTable>;
  return (
    typeof table.display === "function" &&
    typeof table.version === "function" &&
    typeof table.isOpen === "function"
  );
}

async function resolveTable(table: LanceDbTable): Promise<ResolvedSource> {
  checkOpen(table);
  const name = remoteName(table.display());
  if (name !== undefined) return remoteOf(table, name, {});
  const uri = localUri(table);
  const version = await table.version();
  const branch = (await table.currentBranch?.()) ?? undefined;
  const storageOptions = (await table.initialStorageOptions?.()) ?? undefined;
  return {
    uri,
    version,
    ...(branch !== undefined && branch !== "main" && { branch }),
    ...(storageOptions !== undefined && { storageOptions }),
  };
}

function checkOpen(table: LanceDbTable): void {
  if (table.isOpen()) return;
  throw new LanceLoaderError(
    "UNSUPPORTED_SOURCE",
    `The table ${show(table.name)} is closed: open it again with openTable().`,
  );
}

function resolveRemote({ table, ...options }: RemoteTableSource): ResolvedSource {
  checkOptions("source", options, remoteOptions);
  const isTable = typeof table === "object" && table !== null && isLanceDbTable(table);
  if (isTable) checkOpen(table);
  const name = isTable ? remoteName(table.display()) : undefined;
  if (name === undefined)
    throw invalid(
      "source.table",
      table,
      "an open remote table of @lancedb/lancedb; give a local one by itself",
    );
  return remoteOf(table, name, options);
}

function remoteOf(table: LanceDbTable, name: string, options: RemoteOptions): ResolvedSource {
  if (!isRemoteHandle(table))
    throw new LanceLoaderError(
      "UNSUPPORTED_SOURCE",
      `The remote table ${show(name)} is of a version of @lancedb/lancedb that this loader can't read with: install 0.39 or newer.`,
    );
  const remote = new RemoteSource(table, name, options);
  const { identity: uri, branch } = remote;
  return { uri, remote, ...(branch !== undefined && { branch }) };
}

function localUri(table: LanceDbTable): string {
  const description = table.display();
  const uri = /^NativeTable\(.*?, uri=(.*?)(?:, read_consistency_interval=.*)?\)$/s.exec(description)?.[1];
  if (uri === undefined || uri.startsWith("memory:"))
    throw new LanceLoaderError(
      "UNSUPPORTED_SOURCE",
      `The table ${show(table.name)} can't be read from its location (it calls itself ${show(description)}). ` +
        "Give { uri, storageOptions } of a table on disk or in an object store.",
    );
  return normalizeLocation(uri, process.platform === "win32", (path) => path);
}
