import { resolve } from "node:path";
import { invalid, show } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { normalizeLocation } from "./location.ts";

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

/** What a dataset can be opened from. */
export type TableSource = string | URL | TableLocation | LanceDbTable;

/** What the addon needs to open a source. */
export interface ResolvedSource {
  readonly uri: string;
  readonly storageOptions?: Record<string, string>;
  readonly version?: number;
  readonly branch?: string;
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
  }
  throw invalid(
    "source",
    source,
    "the path or URI of a Lance table, { uri, storageOptions }, or an open table of @lancedb/lancedb",
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
  if (!table.isOpen())
    throw new LanceLoaderError(
      "UNSUPPORTED_SOURCE",
      `The table ${show(table.name)} is closed: open it again with openTable().`,
    );
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
