import { afterAll, beforeAll, expect } from "vitest";
import type { TableSource } from "../../../src/index.ts";
import { known } from "../../support/known.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { openRemote } from "./remote.ts";
import { StubServer } from "./stub-server.ts";

/** A table on disk and the same table behind a stub, for the tests of a file. */
export interface Both {
  readonly folder: string;
  /** The path. */
  path(): string;
  readonly stub: () => StubServer;
  /** The remote table, freshly opened. */
  remote(): Promise<TableSource>;
  /** Does the same with both; both must come to the same, which is answered. */
  same<Outcome>(use: (source: TableSource) => Promise<Outcome>): Promise<Outcome>;
}

/** Writes a table before the tests of a file and serves it until they have run. */
export function both(name: string, write: (folder: string) => Promise<string>): Both {
  const folder = tempFolder();
  let path: string;
  let stub: StubServer | undefined;
  beforeAll(async () => {
    path = await write(folder);
    stub = await StubServer.start(folder, name);
  });
  afterAll(() => stub?.close());
  const remote = async () => ({ table: await openRemote(known(stub), name), database: "shop" });
  return {
    folder,
    path: () => path,
    stub: () => known(stub),
    remote,
    same: async (use) => {
      const outcome = await use(path);
      expect(await use(await remote())).toEqual(outcome);
      return outcome;
    },
  };
}
