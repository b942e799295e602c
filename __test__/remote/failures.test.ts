import { connect } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import {
  describeTable,
  LanceLoaderError,
  Permutation,
  permutationBuilder,
  StreamingDataset,
  type TableSource,
} from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { readIds, readSome, sorted } from "../support/reading.ts";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { openRemote } from "./support/remote.ts";
import { type Fault, key, type Purpose, StubServer } from "./support/stub-server.ts";

const folder = tempFolder();

beforeAll(async () => {
  await writeIds(folder, "ids", 40);
});

/** A stub, its table, and what fails from when on. */
async function start(options: { retries?: number; timeout?: number } = {}) {
  const stub = await StubServer.start(folder, "ids");
  const table = await openRemote(stub, "ids");
  stub.requests.length = 0;
  return {
    stub,
    table: { table, ...options } satisfies TableSource,
    [Symbol.asyncDispose]: () => stub.close(),
  };
}

/** Fails the first `times` requests for something. */
function fail(stub: StubServer, purpose: Purpose, fault: Fault, times = Number.POSITIVE_INFINITY): void {
  stub.behaviour.before = (request) =>
    request.purpose === purpose && request.earlier < times ? fault : undefined;
}

const taking = { fetch: "take", shuffle: false } as const;
const purposes = ["describe", "lsm", "schema", "scan", "take"] as const;

/** The key without what makes it look like one. */
const secret = key.slice(3);

/** All rows, each of which takes a request of every purpose. */
async function read(table: TableSource): Promise<number[]> {
  await using dataset = await StreamingDataset.open(table, taking);
  return await readIds(dataset);
}

/** What an error and its causes say. */
function textsOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, String(error.stack), ...textsOf(error.cause)] : [];
}

describe.each(purposes)("a request for %s", (purpose) => {
  test.each([
    ["503, which the client repeats", { status: 503, text: "busy" }],
    ["a connection that is closed", "closed"],
  ] as [string, Fault][])("that fails twice by %s is repeated", async (_, fault) => {
    await using at = await start();
    fail(at.stub, purpose, fault, 2);
    expect(await read(at.table)).toEqual(range(0, 40));
    expect(at.stub.counts[purpose]).toBeGreaterThan(2);
  });

  test("is not repeated for ever", async () => {
    await using at = await start({ retries: 1 });
    fail(at.stub, purpose, { status: 503, text: "busy" });
    await failure(() => read(at.table), "READ_FAILED", '"ids"', "503 Service Unavailable");
    expect(at.stub.counts[purpose]).toBe(3);
    at.stub.requests.length = 0;
    fail(at.stub, purpose, "closed");
    await failure(() => read(at.table), "READ_FAILED", "2 times", "connection");
    expect(at.stub.counts[purpose]).toBe(2);
  });

  test("that was wrong is not repeated, and no key is told", async () => {
    for (const status of [400, 401, 403, 404, 422, 500]) {
      await using at = await start();
      // As if the client had said that nothing came.
      const lost = "Query timeout after 1 ms Http error: (request_id=1) error sending request";
      const headers = `{"x-api-key":"${secret}"} Authorization: Bearer ${secret}, x-api-key=${secret}`;
      const text = `${lost}: ${headers} ${key}`;
      fail(at.stub, purpose, { status, text });
      const error = await read(at.table).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(LanceLoaderError);
      expect(textsOf(error).join("\n")).not.toContain(secret);
      // What the server calls a fault of its own is repeated by the client.
      expect(at.stub.counts[purpose]).toBe(status === 500 ? 3 : 1);
    }
  });
});

describe("an answer", () => {
  test("that is cut is asked for again", async () => {
    await using at = await start();
    await read(at.table);
    const { take = 0 } = at.stub.counts;
    at.stub.requests.length = 0;
    fail(at.stub, "take", "cut", 2);
    expect(await read(at.table)).toEqual(range(0, 40));
    expect(at.stub.counts.take).toBe(take + 2);
  });

  test("that does not come in time is asked for again", async () => {
    await using at = await start({ timeout: 300, retries: 2 });
    fail(at.stub, "take", "silence", 1);
    expect(await read(at.table)).toEqual(range(0, 40));
    fail(at.stub, "scan", "silence");
    await failure(() => read(at.table), "READ_FAILED", "3 times", "300 ms");
  });

  test.each(["scan", "take"])(
    "to a %s that comes too late is not taken beside the one that came in its place",
    async (late) => {
      await using at = await start({ timeout: 300 });
      let go: (() => void) | undefined;
      at.stub.behaviour.before = async ({ purpose, earlier }) => {
        if (purpose !== late || earlier > 1) return undefined;
        if (earlier === 1) return go?.() as undefined;
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        return undefined;
      };
      await using dataset = await StreamingDataset.open(at.table, { ...taking, readBatchSize: 40 });
      expect(await readIds(dataset, 40)).toEqual(range(0, 40));
      expect(at.stub.counts[late as Purpose]).toBe(2);
    },
  );

  test("that is no Arrow is an error", async () => {
    await using at = await start();
    fail(at.stub, "take", "garbage");
    await failure(() => read(at.table), "READ_FAILED", '"ids"');
  });

  test("that lacks a row is an error which names it, after the rows before it", async () => {
    await using at = await start();
    let broken = true;
    at.stub.behaviour.before = ({ purpose, body }) =>
      broken && purpose === "take" && body.filter?.includes("10, ") ? "short" : undefined;
    await using dataset = await StreamingDataset.open(at.table, { ...taking, readBatchSize: 10 });
    const ids: number[] = [];
    const loop = async () => {
      for await (const batch of dataset.batches(10)) ids.push(...Array.from(batch.column("id"), Number));
    };
    await failure(loop, "ROWS_MISSING", "version 1", "19");
    expect(ids).toEqual(range(0, 10));
    broken = false;
    expect(await readIds(dataset)).toEqual(range(10, 40));
  });
});

describe("what can't be used is refused", () => {
  test("a wrong key, with the way out", async () => {
    await using stub = await StubServer.start(folder, "ids");
    const table = await openRemote(stub, "ids");
    stub.behaviour.before = () => ({ status: 401, text: `${key} is no key` });
    const error = await failure(() => StreamingDataset.open(table), "READ_FAILED", "401 Unauthorized", "key");
    expect(textsOf(error).join("\n")).not.toContain(key);
  });

  test("a table with an LSM write spec", async () => {
    await using at = await start();
    const sharding = { mode: "unsharded" };
    at.stub.behaviour.lsmWriteSpec = { sharding, maintained_indexes: [], writer_config_defaults: {} };
    await failure(() => StreamingDataset.open(at.table), "UNSUPPORTED_SOURCE", "LSM write spec");
    await failure(() => permutationBuilder(at.table).execute(), "UNSUPPORTED_SOURCE", "LSM write spec");
    expect(at.stub.counts.scan).toBeUndefined();
  });

  test("a version that there is not", async () => {
    await using at = await start();
    const open = () => StreamingDataset.open(at.table, { version: 99 });
    await failure(open, "VERSION_NOT_FOUND", "99", "tag");
  });

  test("filters, expressions and columns that the table does not have", async () => {
    await using at = await start();
    const open = (options: object) => () => StreamingDataset.open(at.table, options);
    await failure(open({ filter: "nothing LIKE '%s'" }), "INVALID_FILTER", "nothing LIKE '%s'", "No field");
    await failure(open({ filter: "id > 3 LIMIT 5" }), "INVALID_FILTER", "LIMIT");
    await failure(open({ columns: ["nmae"] }), "UNKNOWN_COLUMN", '"name"');
    const calculated = permutationBuilder(at.table).splitCalculated({ calculation: "nothing" });
    await failure(() => calculated.execute(), "INVALID_ARGUMENT", "nothing");
    const text = permutationBuilder(at.table).splitCalculated({ calculation: "name" });
    await failure(() => text.execute(), "INVALID_ARGUMENT", "integers");
  });

  test("options of an object store, and sources that are none", async () => {
    await using at = await start();
    const open =
      (source: unknown, options: object = {}) =>
      () =>
        StreamingDataset.open(source as TableSource, options);
    await failure(
      open(at.table, { storageOptions: { timeout: "1s" } }),
      "INVALID_ARGUMENT",
      "storageOptions",
    );
    await failure(open({ ...at.table, retries: -1 }), "INVALID_ARGUMENT", "source.retries");
    await failure(open({ ...at.table, timeout: 0.5 }), "INVALID_ARGUMENT", "source.timeout");
    await failure(open({ ...at.table, database: "" }), "INVALID_ARGUMENT", "source.database");
    await failure(open({ ...at.table, uri: undefined }), "INVALID_ARGUMENT", "source.uri");
    await failure(open({ table: "ids" }), "INVALID_ARGUMENT", "source.table");
    const { name, display, isOpen, version } = at.table.table;
    const old = { name, isOpen, version, display: display.bind(at.table.table) };
    await failure(open({ ...old, isOpen: () => true }), "UNSUPPORTED_SOURCE", "0.39");
    at.table.table.close();
    await failure(open(at.table), "UNSUPPORTED_SOURCE", "closed");
  });

  test("a permutation of another table, and one that lies in a remote database", async () => {
    await using at = await start();
    const built = await permutationBuilder({ ...at.table, database: "other" }).execute();
    await failure(() => Permutation.fromTables(at.table, built), "INVALID_ARGUMENT", "db://other/ids");
    await failure(() => Permutation.fromTables(at.table, at.table), "UNSUPPORTED_SOURCE", "order");
    const database = await connect("db://shop", { apiKey: key, hostOverride: at.stub.url });
    await failure(() => built.persist(database, "stored"), "UNSUPPORTED_SOURCE", "path");
    const permutation = await Permutation.fromTables({ ...at.table, database: "other" }, built);
    await failure(
      () => StreamingDataset.open(at.table, { permutation }),
      "INVALID_ARGUMENT",
      "db://other/ids",
    );
  });

  test("a state of a table of that name in another database", async () => {
    await using at = await start();
    await using first = await StreamingDataset.open({ ...at.table, database: "one" });
    const state = first.stateDict();
    const open = () => StreamingDataset.open({ ...at.table, database: "two" }, { state });
    await failure(open, "STATE_MISMATCH", "db://one/ids", "db://two/ids");
  });
});

describe("a signal", () => {
  test.each(purposes.slice(0, 4))("ends an opening that waits for %s", async (purpose) => {
    await using at = await start();
    const ending = new AbortController();
    at.stub.behaviour.before = (request) => {
      if (request.purpose !== purpose) return undefined;
      ending.abort("enough");
      return "silence";
    };
    const error = await failure(() => StreamingDataset.open(at.table, { signal: ending.signal }), "ABORTED");
    expect(error.cause).toBe("enough");
  });

  test("ends an epoch that waits for rows, which goes on later", async () => {
    await using at = await start();
    const ending = new AbortController();
    await using dataset = await StreamingDataset.open(at.table, {
      ...taking,
      readBatchSize: 5,
      signal: ending.signal,
    });
    const begun = await readSome(dataset, 5);
    at.stub.behaviour.before = () => {
      ending.abort();
      return "silence";
    };
    await failure(() => readIds(dataset), "ABORTED");
    at.stub.behaviour.before = () => undefined;
    const state = dataset.stateDict();
    await using second = await StreamingDataset.open(at.table, { ...taking, state });
    expect(sorted([...begun, ...(await readIds(second))])).toEqual(range(0, 40));
  });
});

test("a description of a remote table is refused, since its server does not tell the fragments", async () => {
  await using at = await start();
  const error = await failure(() => describeTable(at.table), "UNSUPPORTED_SOURCE");
  expect(error.message).toContain("fragments");
  expect(at.stub.requests).toEqual([]);
});
