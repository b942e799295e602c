import { checkInteger, checkString, show } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";
import { loadBinding, type NativeBinding } from "../../native.ts";
import { native } from "../native-errors.ts";
import { attempted, type RequestLimits } from "./attempts.ts";
import type { Asked } from "./failure.ts";
import type { RemoteHandle } from "./handle.ts";
import { serve } from "./serve.ts";

/** The addon's handle of a remote table at one version. */
export type NativeRemoteTable = InstanceType<NativeBinding["RemoteTable"]>;

/** How the server of a remote table is asked. */
export interface RemoteOptions {
  /**
   * The name of the database, which the table does not tell. A state names it, so that tables of one name in two databases are told apart.
   *
   * @default none
   */
  readonly database?: string;
  /**
   * How often a request is repeated whose answer did not come, or not whole. What the server answers with an error is repeated by the client, as its
   * own `retryConfig` says, and not again here.
   *
   * @default 3
   */
  readonly retries?: number;
  /** Milliseconds that each attempt may take. @default 300000 */
  readonly timeout?: number;
}

/** The names of {@link RemoteOptions}. */
export const remoteOptions: readonly (keyof RemoteOptions)[] = ["database", "retries", "timeout"];

/** Which version of a remote table is wanted. */
export interface Place {
  /** By default the one at which the user's handle stands. */
  readonly version?: number | undefined;
  /** By default the one on which the user's handle is. */
  readonly branch?: string | undefined;
  /** Ends the looking. */
  readonly signal?: AbortSignal | undefined;
}

/** A remote table, at whatever version it is asked for. The handle of the user is left as it is. */
export class RemoteSource {
  /** The database and the table: what a state names. */
  readonly identity: string;
  readonly #table: RemoteHandle;
  readonly #name: string;
  readonly #limits: RequestLimits;

  /**
   * @param name - the table's name in its database.
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
   */
  constructor(table: RemoteHandle, name: string, options: RemoteOptions) {
    const { database, retries = 3, timeout = 300_000 } = options;
    if (database !== undefined) checkString("source.database", database);
    this.#limits = {
      retries: checkInteger("source.retries", retries, 0, 100),
      timeout: checkInteger("source.timeout", timeout, 1, 2 ** 31 - 1),
    };
    this.identity = `db://${database ?? ""}/${name}`;
    this.#table = table;
    this.#name = name;
  }

  /** The branch on which the user's handle is; `undefined` for main. */
  get branch(): string | undefined {
    return this.#table.currentBranch() ?? undefined;
  }

  /**
   * The table at a version; its columns are learned from one row.
   *
   * @throws {@link LanceLoaderError} `TABLE_NOT_FOUND`, `VERSION_NOT_FOUND`, `UNSUPPORTED_SOURCE`, `READ_FAILED`, `ABORTED`.
   */
  async at({ version, branch: named = this.branch, signal }: Place = {}): Promise<NativeRemoteTable> {
    const branch = named === "main" ? undefined : named;
    const ask = <Answer>(what: string, attempt: () => Promise<Answer>, sought: Partial<Asked> = {}) =>
      attempted(attempt, { table: this.#name, what, ...sought }, this.#limits, { signal });
    const checkout = async (at?: number) => (await this.#table.branches()).checkout(branch ?? "main", at);
    const newest = async () => {
      // The user's handle tells where it stands; on another branch it stands nowhere.
      const table = branch === this.branch ? this.#table : await checkout();
      return await table.version();
    };
    const at = version ?? (await ask("A look at the version", newest, { branch }));
    const pinned = await ask("A look at the version", () => checkout(at), { version: at, branch });
    this.#refuseLsm(await ask("A look at the write spec", () => pinned.getLsmWriteSpec()));
    const schema = await ask("A look at the schema", async () => {
      const query = await pinned.query().limit(1).withRowId().getInner();
      return await query.outputSchema();
    });
    const options = {
      identity: this.identity,
      version: at,
      schema,
      ...(branch !== undefined && { branch }),
    };
    const { RemoteTable } = loadBinding();
    return native(
      () => new RemoteTable(options, serve({ pinned, name: this.#name, version: at, branch }, this.#limits)),
    );
  }

  #refuseLsm(spec: unknown): void {
    if (spec === undefined || spec === null) return;
    throw new LanceLoaderError(
      "UNSUPPORTED_SOURCE",
      `The remote table ${show(this.#name)} has an LSM write spec: its rows that are not flushed have no row id, so that they would be left out in silence. ` +
        "Copy it into a table without one.",
    );
  }
}
