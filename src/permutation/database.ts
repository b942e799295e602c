import { checkString, invalid } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import { type ResolvedSource, resolveSource, type TableLocation } from "../tables/source.ts";

/** What is used of a connection of `@lancedb/lancedb`. */
export interface LanceDbConnection {
  /** A description: the only place where the connection tells its location. */
  display(): string;
  /** Whether the connection is open. */
  isOpen(): boolean;
}

/** A LanceDB database: its path or URI, `{ uri, storageOptions }`, or an open local connection of `@lancedb/lancedb`. */
export type DatabaseSource = string | URL | TableLocation | LanceDbConnection;

/**
 * Where the table `name` of a database lies.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`; `UNSUPPORTED_SOURCE` for a connection that does not tell its place.
 */
export async function tableOf(database: DatabaseSource, name: string): Promise<ResolvedSource> {
  checkString("name", name);
  if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name))
    throw invalid("name", name, "letters, digits, '_', '-' and '.', as LanceDB allows them");
  const place = await resolveSource(isConnection(database) ? uriOf(database) : database);
  return { ...place, uri: `${place.uri.replace(/[\\/]+$/, "")}/${name}.lance` };
}

function isConnection(database: DatabaseSource): database is LanceDbConnection {
  return typeof database === "object" && database !== null && "display" in database && "isOpen" in database;
}

function uriOf(connection: LanceDbConnection): string {
  const description = connection.display();
  const uri = /^ListingDatabase\(uri=(.*?)(?:, read_consistency_interval=.*)?\)$/s.exec(description)?.[1];
  if (uri === undefined || uri.startsWith("memory:") || !connection.isOpen())
    throw new LanceLoaderError(
      "UNSUPPORTED_SOURCE",
      `The connection does not tell where its tables lie (it calls itself "${description}"). Give the database's path, or { uri, storageOptions }.`,
    );
  return uri;
}
