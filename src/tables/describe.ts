import type { Schema } from "apache-arrow";
import { decodeSchema } from "../arrow/schema.ts";
import { checkInteger, checkOptions, checkString, show } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { loadBinding } from "../native.ts";
import { fromNative, native } from "./native-errors.ts";
import { checkStorageOptions, resolveSource, type TableSource } from "./source.ts";

/** Which version of a table is described. */
export interface DescribeOptions {
  /** The version. @default the newest one; of an open table, its own */
  readonly version?: number;
  /** The branch. @default the main one */
  readonly branch?: string;
  /** Options of the object store, for a source that has none. */
  readonly storageOptions?: Readonly<Record<string, string>>;
}

/** A part of a table that was written at once. */
export interface FragmentDescription {
  /** Its number. */
  readonly id: number;
  /** Rows that are not deleted. */
  readonly rows: number;
  /** Rows that are deleted, and still in its files. */
  readonly deleted: number;
  /** The number of data files. */
  readonly files: number;
  /** Bytes of the data files, deleted rows included; `undefined` where the writer did not note them. */
  readonly bytes?: number;
}

/** One version of a table. */
export interface TableDescription {
  /** Where it lies: an absolute path, or the URI. */
  readonly uri: string;
  /** The version. */
  readonly version: number;
  /** The branch; `null` is main. */
  readonly branch: string | null;
  /** The columns' names and types. */
  readonly schema: Schema;
  /** Rows that are not deleted. */
  readonly numRows: number;
  /** Its parts, in storage order. */
  readonly fragments: readonly FragmentDescription[];
  /** Whether rows keep their ids when they are moved. */
  readonly stableRowIds: boolean;
}

/**
 * Describes one version of a table. Reads its manifest and its lists of deleted rows, and no row.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `TABLE_NOT_FOUND`, `VERSION_NOT_FOUND`, `UNSUPPORTED_SOURCE`, `UNSUPPORTED_TYPE`, `READ_FAILED`.
 */
export async function describeTable(
  source: TableSource,
  options: DescribeOptions = {},
): Promise<TableDescription> {
  checkOptions("options", options, ["version", "branch", "storageOptions"]);
  const resolved = await resolveSource(source);
  if (resolved.remote !== undefined) {
    const message = `source is the remote table ${show(resolved.uri)}, whose server does not tell its fragments: give a table on disk or in an object store`;
    throw new LanceLoaderError("UNSUPPORTED_SOURCE", message);
  }
  const version =
    options.version === undefined ? resolved.version : checkInteger("version", options.version, 1);
  const branch = options.branch === undefined ? resolved.branch : checkString("branch", options.branch);
  const storageOptions = resolved.storageOptions ?? options.storageOptions;
  const opening = native(() =>
    loadBinding().open({
      uri: resolved.uri,
      ...(storageOptions && { storageOptions: checkStorageOptions("storageOptions", storageOptions) }),
      ...(version !== undefined && { version }),
      ...(branch !== undefined && { branch }),
      // Nothing is read through this handle.
      memoryBudget: 1,
      sharedBudget: false,
    }),
  );
  try {
    await opening.wait();
    const table = opening.finish();
    const description = {
      uri: resolved.uri,
      version: table.version,
      branch: table.branch ?? null,
      schema: decodeSchema(table.schema),
      numRows: table.numRows,
      fragments: table.fragments,
      stableRowIds: table.stableRowIds,
    };
    table.close();
    return description;
  } catch (error) {
    throw fromNative(error);
  }
}
