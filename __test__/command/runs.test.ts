import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { StreamingDataset } from "../../src/index.ts";
import { tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failure, json, run } from "./support/command.ts";

const folder = tempFolder();
let table = "";

beforeAll(async () => {
  table = await writeIds(folder, "ids", 1000, { fragments: 3, deleted: "id % 100 = 1" });
});

describe("check", () => {
  interface Checked {
    readonly ok: boolean;
    readonly ranks: readonly { readonly planned: number }[];
    readonly transformErrors: readonly {
      readonly kind: string;
      readonly rows: number;
      readonly example: string;
    }[];
  }

  it.each([
    ["one_rank", [], { planned: 990, dropped: 0 }],
    ["four_ranks", ["--world-size", "4", "--num-splits", "8"], { planned: 984, dropped: 6 }],
    ["ranks_that_keep_the_rest", ["--world-size", "4", "--remainder", "keep"], { planned: 990, dropped: 0 }],
    ["storage_order", ["--no-shuffle", "--num-splits", "7"], { planned: 987, dropped: 3 }],
    ["takes_in_small_batches", ["--fetch", "take", "--batch-size", "13"], { planned: 990, dropped: 0 }],
    ["one_of_two_ranks", ["--world-size", "2", "--rank", "1"], { planned: 495, dropped: 0 }],
  ])("finds_each_row_of_%s_once_and_at_its_place", async (_, args, expected) => {
    const { planned } = expected;
    const counts = { handedOver: planned, distinct: planned, repeated: 0, outOfOrder: 0, notReached: 0 };
    expect(await json(["check", table, ...args])).toMatchObject({
      ok: true,
      faults: [],
      ...expected,
      ...counts,
    });
  });

  it("finds_each_row_of_a_stored_permutation_once", async () => {
    await json(["permute", table, "--name", "half", "--ratios", "0.5"]);
    const args = ["check", table, "--permutation", tablePath(folder, "half")];
    expect(await json(args)).toMatchObject({ ok: true, planned: 495, distinct: 495, repeated: 0 });
  });

  it("tells_by_kind_which_rows_a_transform_loses_and_ends_with_1", async () => {
    const transform = join(folder, "faulty.mjs");
    writeFileSync(
      transform,
      `export default (batch) => batch.rows().map((row) => {
        if (row.id % 100 === 3) throw new RangeError("too large");
        if (row.id === 7) throw Object.assign(new Error("no picture"), { code: "ENOENT" });
        return row.id;
      });`,
    );
    const result = await json<Checked>(["check", table, "--transform", transform], 1);
    expect(result).toMatchObject({ ok: false, planned: 990, handedOver: 979, skipped: 11, distinct: null });
    const kinds = result.transformErrors.map(({ kind, rows }) => [kind, rows]);
    expect(kinds).toEqual([
      ["RangeError", 10],
      ["Error ENOENT", 1],
    ]);
    expect(result.transformErrors[1]?.example).toMatch(/row with id 7: no picture/);
    const { code, lines } = await run(["check", table, "--transform", transform]);
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe("not ok: 11 rows were lost to the transform");
  });

  it("ends_with_0_where_a_transform_loses_none", async () => {
    const transform = join(folder, "good.mjs");
    writeFileSync(transform, "export default (batch) => batch.rows().map((row) => row.id);");
    const args = ["check", table, "--transform", transform, "--transform-parallelism", "1"];
    expect(await json(args)).toMatchObject({ ok: true, handedOver: 990, skipped: 0, transformErrors: [] });
  });

  it("fails_where_a_transform_can_not_be_loaded", async () => {
    const transform = join(folder, "broken.mjs");
    writeFileSync(transform, "throw new Error('not today');");
    await failure(["check", table, "--transform", transform], 3, "WORKER_FAILED");
  });
});

describe("bench", () => {
  it("measures_each_way_in_its_first_and_later_epochs", async () => {
    const args = ["bench", table, "--ways", "memory,take,unshuffled", "--rounds", "1", "--rows", "600"];
    const { ways } = await json<{ ways: Record<string, number>[] }>(args);
    expect(ways.map(({ way }) => way)).toEqual(["memory", "take", "unshuffled"]);
    for (const way of ways) {
      expect(way["rows"]).toBe(768);
      expect(way["rowsPerSecond"]).toBeGreaterThan(0);
      expect(way["laterRowsPerSecond"]).toBeGreaterThan(0);
    }
    const { code, lines, errors } = await run(args);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(lines).toHaveLength(4);
  });

  it("fails_where_a_way_is_not_possible", async () => {
    await failure(["bench", table, "--ways", "memory", "--memory-budget", "100"], 2, "INVALID_ARGUMENT");
  });
});

describe("state", () => {
  const file = (name: string) => join(folder, name);

  beforeAll(async () => {
    for (const rank of [0, 1]) {
      await using dataset = await StreamingDataset.open(table, {
        numSplits: 4,
        worldSize: 2,
        rank,
        epoch: 2,
      });
      let batches = 0;
      for await (const _ of dataset.batches(8)) if (++batches === 3 + rank) break;
      writeFileSync(file(`rank-${rank}.json`), JSON.stringify(dataset.stateDict()));
    }
    await using other = await StreamingDataset.open(table, { numSplits: 4, shuffleSeed: 5 });
    writeFileSync(file("other.json"), JSON.stringify(other.stateDict()));
    writeFileSync(file("text.json"), "three rows");
    writeFileSync(file("list.json"), "[]");
  });

  it("shows_where_a_state_stands", async () => {
    const shown = await json(["state", "show", file("rank-0.json")]);
    expect(shown).toMatchObject({
      epoch: 2,
      numSplits: 4,
      samplesConsumed: 48,
      leastOfASplit: 12,
      mostOfASplit: 12,
    });
    expect(shown).toMatchObject({ ownedSplits: [0, 2], rowsSkipped: 0, shuffleSeed: 0 });
    const { lines } = await run(["state", "show", file("rank-0.json")]);
    expect(lines).toContainEqual(expect.stringMatching(/^epoch +2$/));
  });

  it("compares_states_and_ends_with_1_where_they_differ", async () => {
    const same = await json(["state", "compare", file("rank-0.json"), file("rank-0.json")]);
    expect(same).toEqual({ equal: true, mergeable: true, why: null, differences: [] });
    const ranks = await json(["state", "compare", file("rank-0.json"), file("rank-1.json")], 1);
    expect(ranks).toMatchObject({ equal: false, mergeable: true });
    const others = await json<{ differences: { field: string }[] }>(
      ["state", "compare", file("rank-0.json"), file("other.json")],
      1,
    );
    expect(others).toMatchObject({ mergeable: false, why: expect.stringContaining("shuffle_seed") });
    expect(others.differences.map(({ field }) => field)).toContain("shuffle_seed");
  });

  it("merges_states_into_a_file_that_the_library_loads", async () => {
    const files = [file("rank-0.json"), file("rank-1.json")];
    const printed = await json<object>(["state", "merge", ...files]);
    expect(printed).toMatchObject({ samples_consumed_per_split: [12, 12, 16, 16] });
    await json(["state", "merge", ...files, "--out", file("merged.json")]);
    const shown = await json(["state", "show", file("merged.json")]);
    expect(shown).toMatchObject({ samplesConsumed: 56, ownedSplits: null });
    await using dataset = await StreamingDataset.open(table, { numSplits: 4, worldSize: 1 });
    dataset.loadStateDict(printed as Parameters<typeof dataset.loadStateDict>[0]);
    expect(dataset.epoch).toBe(2);
  });

  it.each([
    ["is_no_JSON", "text.json", "STATE_INVALID"],
    ["is_no_state", "list.json", "STATE_INVALID"],
    ["is_not_there", "nowhere.json", "ENOENT"],
  ])("refuses_a_file_that_%s", async (_, name, code) => {
    await failure(["state", "show", file(name)], 3, code);
    await failure(["state", "merge", file("rank-0.json"), file(name)], 3, code);
  });

  it("refuses_to_merge_states_of_different_runs", async () => {
    const files = [file("rank-0.json"), file("other.json")];
    expect(await failure(["state", "merge", ...files], 3, "STATE_MISMATCH")).toContain("shuffle_seed");
  });
});
