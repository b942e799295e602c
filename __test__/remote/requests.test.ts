import { connect } from "@lancedb/lancedb";
import { beforeEach, describe, expect, test } from "vitest";
import { Permutation, permutationBuilder, StreamingDataset } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect, epochIds, idOf, readIds, readSome, sorted } from "../support/reading.ts";
import { idRows, range, tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { openRemote } from "./support/remote.ts";
import { StubServer } from "./support/stub-server.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = tempFolder();
  path = await writeIds(folder, "ids", 60, { fragments: 2 });
});

/** What the stub was asked for beside takes, which may be any number. */
function asked({ counts: { take, ...others } }: StubServer) {
  expect(take).toBeGreaterThan(0);
  return others;
}

describe("a process that asks for the schema, the rows and an epoch", () => {
  test.each(["auto", "memory", "scratch", "take"] as const)(
    "makes one scan, with fetch %s",
    async (fetch) => {
      await using stub = await StubServer.start(folder, "ids");
      const table = await openRemote(stub, "ids");
      stub.requests.length = 0;
      await using dataset = await StreamingDataset.open(table, { fetch });
      expect(dataset.columnNames).toEqual(["id", "name"]);
      expect(dataset.numSamples).toBe(60);
      expect(sorted(await readIds(dataset))).toEqual(range(0, 60));
      expect(asked(stub)).toEqual({ describe: 2, lsm: 1, schema: 1, scan: 1 });
    },
  );

  test("makes one scan for a permutation and all that is done with it", async () => {
    await using stub = await StubServer.start(folder, "ids");
    const table = await openRemote(stub, "ids");
    stub.requests.length = 0;
    const built = await permutationBuilder(table)
      .splitHash({ columns: ["name"], splitWeights: [1, 1] })
      .execute();
    const permutation = await Permutation.fromTables(table, built, 1);
    const rows = (await collect(permutation)).map(idOf);
    await using dataset = await StreamingDataset.open(table, { permutation });
    expect(sorted(await readIds(dataset))).toEqual(sorted(rows));
    await built.persist(folder, "stored");
    expect(asked(stub)).toEqual({ describe: 2, lsm: 1, schema: 1, scan: 1 });
  });

  test("makes one scan for a strategy with a filter", async () => {
    await using stub = await StubServer.start(folder, "ids");
    const table = await openRemote(stub, "ids");
    stub.requests.length = 0;
    await using dataset = await StreamingDataset.open(table, {
      filter: "id < 40",
      splitStrategy: (builder) => builder.splitSequential({ fixed: 4 }),
    });
    expect(sorted(await readIds(dataset))).toEqual(range(0, 40));
    expect(asked(stub)).toEqual({ describe: 2, lsm: 1, schema: 1, scan: 1 });
  });

  test("is seen to scan again by these counts when it opens again", async () => {
    await using stub = await StubServer.start(folder, "ids");
    const table = await openRemote(stub, "ids");
    for (let time = 0; time < 2; time++) {
      await using dataset = await StreamingDataset.open(table);
      await readIds(dataset);
    }
    expect(asked(stub)).toMatchObject({ scan: 2, schema: 2 });
  });
});

describe("what is asked for", () => {
  test("is narrow in a scan, and one row for the schema", async () => {
    await using stub = await StubServer.start(folder, "ids");
    await using dataset = await StreamingDataset.open(await openRemote(stub, "ids"), { columns: ["name"] });
    await readIds(dataset).catch(() => undefined);
    const bodies = (purpose: string) =>
      stub.requests.filter((request) => request.purpose === purpose).map(({ body }) => body);
    expect(bodies("schema")).toMatchObject([{ k: 1, with_row_id: true }]);
    expect(bodies("scan")).toMatchObject([{ columns: ["id"], with_row_id: true }]);
    for (const take of bodies("take")) expect(take).toMatchObject({ columns: ["name"], with_row_id: true });
  });

  test("is one version, though the table moves on in the middle of a build and of an epoch", async () => {
    await using stub = await StubServer.start(folder, "ids");
    const writer = await (await connect(folder)).openTable("ids");
    let moved = 60;
    stub.behaviour.before = async ({ purpose }) => {
      if (purpose !== "scan" && purpose !== "take") return undefined;
      await writer.add(idRows(moved, ++moved));
      await writer.delete(`id = ${moved - 41}`);
      return undefined;
    };
    const table = await openRemote(stub, "ids");
    const built = await permutationBuilder(table).splitRandom({ fixed: 2, seed: 1 }).execute();
    const permutation = await Permutation.fromTables(table, built, 0);
    const rows = (await collect(permutation)).map(idOf);
    await using dataset = await StreamingDataset.open(table, {
      permutation,
      fetch: "take",
      readBatchSize: 4,
    });
    expect(sorted(await readIds(dataset, 4))).toEqual(sorted(rows));
    expect(stub.versions).toEqual(new Set([2]));
    expect(moved).toBeGreaterThan(65);
    expect(await table.version()).toBeGreaterThan(2);
    await using newest = await StreamingDataset.open(table);
    expect(newest.version).toBeGreaterThan(2);
  });

  test("leaves the caller's table where it stands", async () => {
    await (await (await connect(folder)).openTable("ids")).add(idRows(60, 70));
    await using stub = await StubServer.start(folder, "ids");
    const table = await openRemote(stub, "ids");
    await using old = await StreamingDataset.open(table, { version: 1 });
    expect(sorted(await readIds(old))).toEqual(range(0, 30));
    expect(await table.version()).toBe(3);
    await table.checkout(2);
    await using checkedOut = await StreamingDataset.open(table);
    expect(checkedOut.version).toBe(2);
    expect(checkedOut.numSamples).toBe(60);
  });

  test("goes on when the caller closes the table", async () => {
    await using stub = await StubServer.start(folder, "ids");
    const table = await openRemote(stub, "ids");
    await using dataset = await StreamingDataset.open(table, { fetch: "take", shuffle: false });
    expect(await readSome(dataset, 2)).toEqual([0, 1]);
    table.close();
    expect(await readIds(dataset)).toEqual(range(2, 60));
  });

  test("resumes on the version of the state", async () => {
    await using stub = await StubServer.start(folder, "ids");
    const table = await openRemote(stub, "ids");
    await using first = await StreamingDataset.open(table, { shuffleSeed: 5 });
    const begun = await readSome(first, 20);
    await (await (await connect(folder)).openTable("ids")).add(idRows(60, 70));
    await using second = await StreamingDataset.open(table, { shuffleSeed: 5, state: first.stateDict() });
    expect(second.version).toBe(2);
    expect([...begun, ...(await readIds(second))]).toEqual(
      await epochIds(path, { shuffleSeed: 5, version: 2 }),
    );
  });

  test("reads a stored permutation on the version that it was built on", async () => {
    await permutationBuilder(path).splitRandom({ fixed: 2 }).persist(folder, "stored");
    await (await (await connect(folder)).openTable("ids")).delete("id < 50");
    await using stub = await StubServer.start(folder, "ids");
    const permutation = await Permutation.fromTables(
      await openRemote(stub, "ids"),
      tablePath(folder, "stored"),
    );
    expect(permutation.numRows).toBe(30);
    expect((await collect(permutation)).map(idOf)).toEqual(
      (await collect(await Permutation.fromTables(path, tablePath(folder, "stored")))).map(idOf),
    );
    expect(stub.versions).toEqual(new Set([2]));
  });
});

describe("a branch", () => {
  test("is read where the table or the options name it, at its own versions", async () => {
    const main = await (await connect(folder)).openTable("ids");
    const branch = await (await main.branches()).create("trial");
    await branch.add(idRows(100, 110));
    await main.add(idRows(60, 62));
    await main.add(idRows(62, 65));
    await using stub = await StubServer.start(folder, "ids");
    const table = await openRemote(stub, "ids");
    const onBranch = await (await table.branches()).checkout("trial");
    const expected = [...range(0, 60), ...range(100, 110)];
    for (const [source, options] of [
      [onBranch, {}],
      [table, { branch: "trial" }],
    ] as const) {
      await using dataset = await StreamingDataset.open(source, options);
      expect(dataset.stateDict()).toMatchObject({ table_branch: "trial", table_version: 3 });
      expect(sorted(await readIds(dataset))).toEqual(expected);
      await failure(
        () => StreamingDataset.open(source, { branch: "none" }),
        source === table ? "VERSION_NOT_FOUND" : "INVALID_ARGUMENT",
        "none",
      );
    }
    await permutationBuilder(onBranch).persist(folder, "of_branch");
    const permutation = await Permutation.fromTables(table, tablePath(folder, "of_branch"));
    expect((await collect(permutation)).map(idOf)).toEqual(expected);
    await using dataset = await StreamingDataset.open(table);
    expect(sorted(await readIds(dataset))).toEqual(range(0, 65));
  });
});

describe("answers", () => {
  test.each([
    ["ascending", (rows: unknown[]) => rows],
    ["descending", (rows: unknown[]) => rows.toReversed()],
    ["turned round", (rows: unknown[]) => [...rows.slice(7), ...rows.slice(0, 7)]],
  ])("%s give the same order", async (_, arrange) => {
    await using stub = await StubServer.start(folder, "ids");
    stub.behaviour.arrange = arrange as typeof stub.behaviour.arrange;
    const table = await openRemote(stub, "ids");
    await using dataset = await StreamingDataset.open(table, { fetch: "take", shuffleSeed: 4 });
    expect(await readIds(dataset)).toEqual(await epochIds(path, { shuffleSeed: 4 }));
  });

  test("that come in another order than they were asked for give the same order", async () => {
    await using stub = await StubServer.start(folder, "ids");
    let overtaken = 0;
    let go: (() => void) | undefined;
    // From the second on, each take waits until the next one has come.
    stub.behaviour.before = async ({ purpose, earlier }) => {
      if (purpose !== "take") return undefined;
      if (earlier % 2 === 0 || earlier === 9) return go?.() as undefined;
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      overtaken++;
      return undefined;
    };
    const table = await openRemote(stub, "ids");
    const options = { fetch: "take", shuffleSeed: 4, readBatchSize: 6 } as const;
    await using dataset = await StreamingDataset.open(table, options);
    expect(await readIds(dataset, 6)).toEqual(await epochIds(path, { shuffleSeed: 4 }));
    expect(stub.counts.take).toBe(10);
    expect(overtaken).toBe(4);
  });
});
