import type { TableLocation } from "../../../src/index.ts";
import { type IdsOptions, tablePath, writeIds } from "../../support/tables.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import { databaseUri, SeaweedFs, storageOptions } from "./seaweedfs.ts";

/** A real object store with one database, which is written directly and read through a proxy. */
export class TestStore {
  readonly proxy: FaultyProxy;
  /** The URI of the database. */
  readonly database = databaseUri("db");
  /** Options that read through the proxy. */
  readonly options: Record<string, string>;
  /** Options that go past the proxy. */
  readonly direct: Record<string, string>;
  readonly #server: SeaweedFs;

  private constructor(server: SeaweedFs, proxy: FaultyProxy) {
    this.#server = server;
    this.proxy = proxy;
    this.options = storageOptions(proxy.port);
    this.direct = storageOptions(server.port);
  }

  static async start(): Promise<TestStore> {
    const server = await SeaweedFs.start();
    return new TestStore(server, await FaultyProxy.start(server.port));
  }

  /** Writes a table of ids past the proxy. */
  async writeIds(name: string, rows: number, options: IdsOptions = {}): Promise<TableLocation> {
    await writeIds(this.database, name, rows, { ...options, storageOptions: this.direct });
    return this.table(name);
  }

  /** A table of the database, read through the proxy; `changes` are to its options. */
  table(name: string, changes: Record<string, string> = {}): TableLocation {
    return { uri: tablePath(this.database, name), storageOptions: { ...this.options, ...changes } };
  }

  /** What the proxy counts and spoils begins anew. */
  forget(): void {
    this.proxy.forget();
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    await this.#server.stop();
  }
}
