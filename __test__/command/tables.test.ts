import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Permutation, StreamingDataset } from "../../src/index.ts";
import { tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failure, json, run } from "./support/command.ts";

const folder = tempFolder();
let table = "";

beforeAll(async () => {
  table = await writeIds(folder, "ids", 1000, { fragments: 4, deleted: "id < 50" });
});

describe("inspect", () => {
  it("tells_rows_deletions_fragments_and_bytes", async () => {
    const result = await json<Record<string, unknown>>(["inspect", table]);
    expect(result).toMatchObject({
      uri: table,
      rows: 950,
      deleted: 50,
      fragments: 4,
      files: 4,
      smallestFragment: 200,
      largestFragment: 250,
      stableRowIds: false,
      columns: [
        { name: "id", type: "Int32", bytesPerRow: 4 },
        { name: "name", type: "Utf8" },
      ],
    });
    expect(result["bytesOnDisk"]).toBeGreaterThan(1000 * 4);
  });

  it("says_whether_the_columns_fit_the_budget", async () => {
    const fits = async (budget: string) => {
      const args = ["inspect", table, "--columns", "id", "--memory-budget", budget];
      return (await json<{ memory: Record<string, unknown> }>(args)).memory;
    };
    expect(await fits("3800")).toMatchObject({ bytes: 3800, fits: true, rowsThatFit: 950 });
    expect(await fits("3.799kB")).toMatchObject({ bytes: 3800, budget: 3799, fits: false, rowsThatFit: 949 });
  });

  it("prints_lines_for_people", async () => {
    const { code, lines, errors } = await run(["inspect", table]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(lines).toContainEqual(expect.stringMatching(/^rows +950$/));
    expect(lines).toContainEqual(expect.stringMatching(/^deleted rows +50 \(5%/));
    expect(lines.join("")).not.toContain("\u001b");
  });

  it("describes_a_table_whose_rows_are_all_deleted", async () => {
    const empty = await writeIds(folder, "empty", 10, { deleted: "id >= 0" });
    const result = await json<Record<string, unknown>>(["inspect", empty]);
    expect(result).toMatchObject({ rows: 0, memory: { bytes: 0, fits: true } });
  });

  it("names_the_columns_where_one_is_unknown", async () => {
    expect(await failure(["inspect", table, "--columns", "nam"], 2, "UNKNOWN_COLUMN")).toContain("id, name");
  });
});

describe("permute", () => {
  it("stores_the_permutation_that_the_library_builds", async () => {
    const args = ["--name", "random", "--ratios", "0.8,0.2", "--names", "train,val", "--seed", "7"];
    const result = await json<{ uri: string; splits: unknown }>(["permute", table, ...args]);
    expect(result.uri).toBe(tablePath(folder, "random"));
    expect(result.splits).toEqual([
      { split: 0, name: "train", rows: 760 },
      { split: 1, name: "val", rows: 190 },
    ]);
    const val = await Permutation.fromTables(table, result.uri, "val");
    expect(val.numRows).toBe(190);
  });

  it.each([
    ["sequential", ["--by", "sequential", "--counts", "100,200"], [100, 200]],
    ["sql", ["--by", "sql", "--sql", "id % 2", "--filter", "id < 150", "--shuffle"], [50, 50]],
    ["fixed", ["--fixed", "5", "--clump", "10"], [190, 190, 190, 190, 190]],
  ])("cuts_rows_%s", async (name, args, rows) => {
    const result = await json<{ splits: { rows: number }[] }>(["permute", table, "--name", name, ...args]);
    expect(result.splits.map((split) => split.rows)).toEqual(rows);
  });

  it("hashes_by_weight_into_another_database", async () => {
    const database = join(folder, "other");
    const by = ["--by", "hash", "--hash", "id", "--weights", "3,1", "--discard", "1"];
    const args = ["permute", table, "--name", "hash", "--database", database, ...by];
    const result = await json<{ uri: string; rows: number }>(args);
    expect(result.uri).toBe(tablePath(database, "hash"));
    expect(result.rows).toBeGreaterThan(600);
    expect(result.rows).toBeLessThan(900);
  });

  it("overwrites_nothing", async () => {
    const args = ["permute", table, "--name", "twice", "--fixed", "2"];
    await json(args);
    expect(await failure(args, 2, "ALREADY_EXISTS")).toContain("twice");
    rmSync(tablePath(folder, "twice"), { recursive: true });
    await json(args);
  });

  it.each([
    ["sizes", ["--name", "p"], "ratios"],
    ["a_column", ["--name", "p", "--by", "hash", "--weights", "1,1"], "--hash"],
    ["an_expression", ["--name", "p", "--by", "sql"], "--sql"],
  ])("says_that_%s_is_missing", async (_, args, named) => {
    expect(await failure(["permute", table, ...args], 2, "INVALID_ARGUMENT")).toContain(named);
  });
});

describe("preview", () => {
  interface Preview {
    readonly samples: readonly { readonly row_id: number; readonly id: number; readonly name: string }[];
  }

  it.each([
    ["one_rank", {}, []],
    ["a_rank_of_two", { rank: 1, worldSize: 2 }, ["--rank", "1", "--world-size", "2"]],
    ["clumps", { shuffleClumpSize: 8 }, ["--clump", "8"]],
    ["storage_order", { shuffle: false }, ["--no-shuffle"]],
    ["a_filter_and_an_epoch", { filter: "id > 500", epoch: 3 }, ["--filter", "id > 500", "--epoch", "3"]],
  ])("shows_the_first_samples_of_%s_with_their_row_ids", async (_, options, args) => {
    const all = ["preview", table, "--num-splits", "4", "--seed", "9", "--rows", "7", ...args];
    const { samples } = await json<Preview>(all);
    await using dataset = await StreamingDataset.open(table, {
      ...options,
      numSplits: 4,
      shuffleSeed: 9,
      columns: ["_rowid", "id", "name"],
    });
    const expected: unknown[] = [];
    for await (const { _rowid, ...row } of dataset) {
      if (expected.push({ row_id: Number(_rowid), ...row }) === 7) break;
    }
    expect(samples).toEqual(expected);
  });

  it("shows_a_split_of_a_stored_permutation", async () => {
    await json(["permute", table, "--name", "shown", "--counts", "3,5", "--names", "few,more"]);
    const args = ["--permutation", tablePath(folder, "shown"), "--split"];
    expect((await json<Preview>(["preview", table, ...args, "few"])).samples).toHaveLength(3);
    expect((await json<Preview>(["preview", table, ...args, "1"])).samples).toHaveLength(5);
    expect(await failure(["preview", table, ...args, "fw"], 2, "INVALID_ARGUMENT")).toContain("few");
  });

  it("prints_lines_for_people", async () => {
    const { lines } = await run(["preview", table, "--rows", "2", "--no-shuffle"]);
    expect(lines[0]).toMatch(/^2 of 950 samples of epoch 0/);
    expect(lines).toContain("  id: 50");
    expect(lines).toContain('  name: "row 51"');
  });
});
