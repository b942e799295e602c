/** What is used of an open remote table of `@lancedb/lancedb`, from 0.39 on. */
export interface RemoteHandle {
  /** The table's name. */
  readonly name: string;
  /** The version that the table is at, or was checked out at. */
  version(): Promise<number>;
  /** The branch, `null` for main. */
  currentBranch(): string | null;
  /** The branches, by which another handle comes at a version of its own. */
  branches(): Promise<{ checkout(name: string, version?: number): Promise<RemoteHandle> }>;
  /** How rows are written that have no row id yet; nothing where they all have one. */
  getLsmWriteSpec(): Promise<unknown>;
  /** A query over all rows. */
  query(): RemoteQuery;
  /** A query over the rows with these ids. */
  takeRowIds(ids: bigint[]): RemoteTake;
}

/**
 * A query over the rows with given ids.
 *
 * The client keeps its last two methods to itself. They give what it received; the open ones decode it, with a copy of apache-arrow of the client's own, from
 * which it would have to be encoded again.
 */
export interface RemoteTake {
  /** The columns, or SQL expressions by the names of their columns. */
  select(columns: string[] | Record<string, string>): this;
  /** With the row id. */
  withRowId(): this;
  /** Starts the query; its batches are Arrow IPC files as the client has them, whatever apache-arrow it has. */
  nativeExecute(options: { timeoutMs: number }): Promise<{ next(): Promise<Uint8Array | null> }>;
  /** The client's own query, which tells the schema of the answer as an Arrow IPC file. */
  getInner(): Promise<{ outputSchema(): Promise<Uint8Array> }>;
}

/** A query over all rows. */
export interface RemoteQuery extends RemoteTake {
  /** An SQL condition. */
  where(predicate: string): this;
  /** The most rows. */
  limit(rows: number): this;
}

/** The database's name for a remote table, by what the table calls itself; `undefined` for any other table. */
export function remoteName(description: string): string | undefined {
  return /^RemoteTable\((.*)\)$/s.exec(description)?.[1];
}

/** Whether a table has what is used of a remote one. Asks the server for nothing. */
export function isRemoteHandle(table: object): table is RemoteHandle {
  const has = <Owner>(owner: object, used: readonly (keyof Owner)[]) =>
    used.every((method) => typeof (owner as Owner)[method] === "function");
  if (!has<RemoteHandle>(table, ["branches", "currentBranch", "getLsmWriteSpec", "query", "takeRowIds"]))
    return false;
  const query = (table as RemoteHandle).query();
  return has<RemoteQuery>(query, ["select", "withRowId", "where", "limit", "nativeExecute", "getInner"]);
}
