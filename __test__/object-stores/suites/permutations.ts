import { connect } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import {
  Permutation,
  type PermutationBuilder,
  Permutations,
  permutationBuilder,
  StreamingDataset,
  type TableLocation,
} from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { collect, idOf, readIds, sorted } from "../../support/reading.ts";
import { idRows, range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import type { TestStore } from "../support/store.ts";

const rows = 400;

function hashed(table: TableLocation | string): PermutationBuilder {
  return permutationBuilder(table).splitHash({
    columns: ["name"],
    splitWeights: [3, 1],
    splitNames: ["train", "val"],
  });
}

/** Permutations of tables in an object store, built there by one process for all. */
export function describePermutations(store: TestStore): void {
  describe("a permutation of a table in an object store", () => {
    const folder = tempFolder();
    let local = "";
    let remote: TableLocation;

    beforeAll(async () => {
      [local, remote] = await Promise.all([
        writeIds(folder, "permuted", rows, { fragments: 2 }),
        store.writeIds("permuted", rows, { fragments: 2 }),
      ]);
      // The control of a version that moves on: rows that no rank may see.
      await hashed(remote).persist({ uri: store.database, storageOptions: store.options }, "stored");
      const database = await connect(store.database, { storageOptions: store.direct });
      await (await database.openTable("permuted")).add(idRows(rows, rows + 50));
    });

    test("that one rank stored is opened by all at the version that it was built on", async () => {
      const ranks = range(0, 4).map(async (rank) => {
        const permutation = await Permutation.fromTables(remote, store.table("stored"), "train");
        await using dataset = await StreamingDataset.open(remote, { permutation, rank, worldSize: 4 });
        return { version: dataset.version, ids: await readIds(dataset) };
      });
      const read = await Promise.all(ranks);
      expect(read.map(({ version }) => version)).toEqual([2, 2, 2, 2]);
      const train = await collect(
        await Permutation.fromTables(local, await hashed(local).execute(), "train"),
      );
      const left = train.length % 4;
      const ids = read.flatMap((rank) => rank.ids);
      expect(new Set(ids).size).toBe(train.length - left);
      expect(train.map(idOf)).toEqual(expect.arrayContaining(ids));
      // Without it, a rank reads the newest version.
      await using newest = await StreamingDataset.open(remote);
      expect(newest.numSamples).toBe(rows + 50);
    });

    test("is the same when every rank builds it, in memory or read back", async () => {
      const expected = await Permutations.open(local, await hashed(local).execute());
      const stored = await Permutations.open(remote, store.table("stored"));
      const at = { ...remote };
      const built = range(0, 3).map(async () => Permutations.open(at, await hashed(at).execute()));
      const ids = async (splits: Permutations, name: string) => (await collect(splits.get(name))).map(idOf);
      for (const name of ["train", "val"]) {
        const own = await ids(expected, name);
        expect(await ids(stored, name)).toEqual(own);
        // Built on the newer version: rows that came move no other row to another split.
        for (const other of await Promise.all(built))
          expect(sorted(await ids(other, name)).filter((id) => id < rows)).toEqual(sorted(own));
      }
    });

    test("is written once: a second rank that builds is told that it is there", async () => {
      const target = { uri: store.database, storageOptions: store.options };
      const builders = range(0, 2).map(() => hashed(remote).persist(target, "raced"));
      const ended = await Promise.allSettled(builders);
      expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      await failure(() => hashed(remote).persist(target, "raced"), "ALREADY_EXISTS", "raced");
      expect((await Permutations.open(remote, store.table("raced"))).splitNames).toEqual(["train", "val"]);
    });

    test("takes rows by their offsets", async () => {
      const permutation = await Permutation.identity(remote);
      const taken = await permutation.takeOffsets([399, 0, 0, 250]);
      expect(taken.map(idOf)).toEqual([399, 0, 0, 250]);
    });
  });
}
