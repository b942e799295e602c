import { connect, type Table } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import { Permutation, permutationBuilder, StreamingDataset, type TableSource } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect, epochIds, idOf, sorted } from "../support/reading.ts";
import { idRows, range, tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
let path: string;
let main: Table;
let branch: Table;

// Both have a version 3, with other rows.
beforeAll(async () => {
  path = await writeIds(folder, "ids", 20, { fragments: 2 });
  main = await (await connect(folder)).openTable("ids");
  branch = await (await main.branches()).create("trial");
  await branch.add(idRows(100, 110));
  await main.add(idRows(20, 25));
});

async function rowsOf(source: TableSource, permutation: Parameters<typeof Permutation.fromTables>[1]) {
  return (await collect(await Permutation.fromTables(source, permutation))).map(idOf);
}

describe("a permutation of a branch", () => {
  test("is of the branch's rows, and stored with its name", async () => {
    const built = await permutationBuilder(branch).shuffle({ seed: 1 }).persist(folder, "trial-split");
    expect(built.baseBranch).toBe("trial");
    expect(built.baseVersion).toBe(await branch.version());
    const schema = await (await (await connect(folder)).openTable("trial-split")).schema();
    expect(schema.metadata.get("base_branch")).toBe("trial");
    const rows = await rowsOf(branch, built);
    expect(sorted(rows)).toEqual([...range(0, 20), ...range(100, 110)]);
    // Whatever branch the table is given on, the permutation names its own.
    for (const source of [branch, main, path])
      expect(await rowsOf(source, tablePath(folder, "trial-split"))).toEqual(rows);
  });

  test("stays as it is when the branch and main are written to", async () => {
    const built = await permutationBuilder(branch)
      .splitHash({ columns: ["id"], splitWeights: [1] })
      .execute();
    const rows = await rowsOf(branch, built);
    await branch.delete("id < 5");
    await branch.add(idRows(110, 115));
    await main.delete("id > 3");
    expect(await rowsOf(path, built)).toEqual(rows);
    const permutation = await Permutation.fromTables(path, built);
    expect(await epochIds(path, { permutation, shuffle: false })).toEqual(rows);
    await failure(
      () => StreamingDataset.open(path, { permutation, branch: "main" }),
      "INVALID_ARGUMENT",
      "branch",
      '"trial"',
    );
  });
});

test("a permutation of main names no branch and is not of the branch's rows", async () => {
  const built = await permutationBuilder(path).persist(folder, "main-split");
  expect(built.baseBranch).toBeNull();
  const schema = await (await (await connect(folder)).openTable("main-split")).schema();
  expect(schema.metadata.has("base_branch")).toBe(false);
  expect((await rowsOf(branch, tablePath(folder, "main-split"))).some((id) => id >= 100)).toBe(false);
});

test("a branch that was deleted is named", async () => {
  const gone = await (await main.branches()).create("gone");
  await gone.add(idRows(200, 203));
  await permutationBuilder(gone).persist(folder, "gone-split");
  await (await main.branches()).delete("gone");
  const open = () => Permutation.fromTables(path, tablePath(folder, "gone-split"));
  await failure(open, "VERSION_NOT_FOUND", '"gone"');
});
