import { readdirSync } from "node:fs";
import { connect } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import { Permutation, type PermutationBuilder, Permutations, permutationBuilder } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect, idOf, sorted } from "../support/reading.ts";
import { range, tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
let path: string;

beforeAll(async () => {
  path = await writeIds(folder, "ids", 100, { fragments: 3 });
});

/** The ids of each split. */
async function splitsOf(builder: PermutationBuilder, source = path): Promise<number[][]> {
  const table = await builder.execute();
  const splits = await Permutations.open(source, table);
  const ids: number[][] = [];
  for (let split = 0; split < splits.length; split++) ids.push((await collect(splits.get(split))).map(idOf));
  expect(ids.map(({ length }) => length)).toEqual(table.splitLengths);
  return ids;
}

describe("a build", () => {
  test("without a split call is all rows in storage order", async () => {
    expect(await splitsOf(permutationBuilder(path))).toEqual([range(0, 100)]);
  });

  test("of a random split is disjoint and complete where the ratios sum to 1", async () => {
    const [train = [], val = []] = await splitsOf(
      permutationBuilder(path).splitRandom({ ratios: [0.8, 0.2], seed: 7 }),
    );
    expect([train.length, val.length]).toEqual([80, 20]);
    expect(sorted([...train, ...val])).toEqual(range(0, 100));
    expect(train).not.toEqual(sorted(train));
  });

  test("gives the rows of its ratios to the nearest row", async () => {
    const twenty = await splitsOf(
      permutationBuilder(path).splitSequential({ ratios: new Array(20).fill(0.05) }),
    );
    expect(twenty).toEqual(range(0, 20).map((split) => range(split * 5, split * 5 + 5)));
    const thirds = permutationBuilder(path)
      .filter("id < 10")
      .splitSequential({ ratios: [1 / 3, 1 / 3, 1 / 3] });
    expect((await splitsOf(thirds)).map(({ length }) => length)).toEqual([4, 3, 3]);
  });

  test("of a calculated split follows the expression over the filter's rows", async () => {
    const builder = permutationBuilder(path).filter("id < 9").splitCalculated({ calculation: "id % 3" });
    expect(await splitsOf(builder)).toEqual([
      [0, 3, 6],
      [1, 4, 7],
      [2, 5, 8],
    ]);
  });

  test("of a hash split depends on the values only", async () => {
    const options = { columns: ["name"], splitWeights: [3, 1], splitNames: ["train", "val"] };
    const [train = [], val = []] = await splitsOf(permutationBuilder(path).splitHash(options));
    const fewer = await writeIds(folder, "fewer", 100, { fragments: 7, deleted: "id % 3 = 0" });
    const kept = (ids: number[]) => ids.filter((id) => id % 3 !== 0);
    expect(await splitsOf(permutationBuilder(fewer).splitHash(options), fewer)).toEqual([
      kept(train),
      kept(val),
    ]);
  });

  test("of bootstrap samples draws the same rows for a split whatever the others are", async () => {
    const draw = (counts: number[]) =>
      splitsOf(permutationBuilder(path).bootstrapSample({ numSamples: 500, counts, seed: 3 }));
    const [alone] = await draw([150]);
    const [first, second] = await draw([150, 150]);
    expect(first).toEqual(alone);
    expect(second).not.toEqual(alone);
    expect(new Set(alone).size).toBeLessThan(100);
  });

  test("tells seeds beyond 2^53 apart, and takes 0 for a seed", async () => {
    const orders = await Promise.all(
      [0, 1, 2n ** 53n, 2n ** 53n + 1n].map((seed) => splitsOf(permutationBuilder(path).shuffle({ seed }))),
    );
    expect(new Set(orders.map(String)).size).toBe(4);
  });

  test("above its memory limit is the same", async () => {
    const builder = permutationBuilder(path)
      .splitHash({ columns: ["id"], splitWeights: [1, 1] })
      .shuffle({ seed: 5, clumpSize: 3 });
    const spilled = builder.memoryLimit(64).tempDir(tempFolder());
    expect(await splitsOf(spilled)).toEqual(await splitsOf(builder));
  });

  test("is described by a text that equal builders share", () => {
    const builder = permutationBuilder(path);
    const split = builder.splitRandom({ fixed: 2 });
    expect(split.configuration).toBe(builder.splitRandom({ fixed: 2, seed: 0n, clumpSize: 1 }).configuration);
    expect(builder.configuration).toBe("{}");
  });
});

describe("a stored permutation", () => {
  test("has two columns, its own metadata, and is read like the one in memory", async () => {
    const database = await connect(folder);
    const builder = permutationBuilder(path).splitRandom({ ratios: [0.5, 0.5], splitNames: ["a", "b"] });
    const stored = await builder.persist(database, "halves");
    expect(stored.uri).toBe(tablePath(folder, "halves"));
    const table = await database.openTable("halves");
    const schema = await table.schema();
    expect(schema.fields.map(({ name, nullable }) => [name, nullable])).toEqual([
      ["row_id", false],
      ["split_id", false],
    ]);
    expect(schema.metadata.get("split_names")).toBe('["a","b"]');
    expect(schema.metadata.get("base_version")).toBe(String(stored.baseVersion));
    const expected = await splitsOf(builder);
    for (const source of [stored, table, tablePath(folder, "halves")]) {
      const opened = await Permutations.open(path, source);
      expect(opened.splitNames).toEqual(["a", "b"]);
      expect((await collect(opened.get("b"))).map(idOf)).toEqual(expected[1]);
    }
  });

  test("does not take the place of a table", async () => {
    const builder = permutationBuilder(path);
    await builder.persist(folder, "once");
    await failure(() => builder.persist(folder, "once"), "ALREADY_EXISTS", "once.lance", "another name");
  });

  test.each(["", "a/b", "..", "a b"])("is not named %j", async (name) => {
    await failure(() => permutationBuilder(path).persist(folder, name), "INVALID_ARGUMENT", "name");
    expect(readdirSync(folder)).not.toContain("b.lance");
  });
});

describe("what is not allowed is refused with the reason:", () => {
  const build = () => permutationBuilder(path);
  const cases: [string, () => unknown, string][] = [
    ["two sizes", () => build().splitRandom({ ratios: [1], fixed: 1 }), "ratios"],
    ["no size", () => build().splitSequential({}), "ratios"],
    ["a ratio of 0", () => build().splitRandom({ ratios: [0, 1] }), "ratios[0]"],
    ["ratios above 1", () => build().splitRandom({ ratios: [0.8, 0.3] }), "ratios"],
    ["a ratio that is no number", () => build().splitRandom({ ratios: [Number.NaN] }), "ratios[0]"],
    ["a missing count", () => build().splitRandom({ counts: new Array(2) }), "counts[0]"],
    ["an unknown option", () => build().splitRandom({ fixed: 2, sed: 1 } as never), '"sed"'],
    ["a name too few", () => build().splitRandom({ fixed: 2, splitNames: ["a"] }), "splitNames"],
    ["a repeated name", () => build().splitRandom({ fixed: 2, splitNames: ["a", "a"] }), "splitNames[1]"],
    ["no weights", () => build().splitHash({ columns: ["id"], splitWeights: [] }), "splitWeights"],
    ["a zero weight", () => build().splitHash({ columns: ["id"], splitWeights: [0] }), "splitWeights"],
    ["no columns", () => build().splitHash({ columns: [], splitWeights: [1] }), "columns"],
    [
      "two strategies",
      () => build().splitRandom({ fixed: 2 }).splitSequential({ fixed: 2 }),
      "splitSequential",
    ],
    ["no samples", () => build().bootstrapSample({ numSamples: 0, fixed: 1 }), "numSamples"],
    ["a negative seed", () => build().shuffle({ seed: -1 }), "seed"],
    ["a clump of 0", () => build().shuffle({ clumpSize: 0 }), "clumpSize"],
    ["an empty filter", () => build().filter(""), "filter"],
    ["a memory limit of 0", () => build().memoryLimit(0), "memoryLimit"],
    [
      "counts beyond the rows",
      () =>
        build()
          .splitRandom({ counts: [60, 41] })
          .execute(),
      "101",
    ],
    [
      "a split of no rows",
      () =>
        build()
          .splitRandom({ ratios: [0.001] })
          .execute(),
      "ratios",
    ],
    [
      "a calculation that gives text",
      () => build().splitCalculated({ calculation: "name" }).execute(),
      "Utf8",
    ],
    [
      "draws from no rows",
      () => build().filter("id < 0").bootstrapSample({ numSamples: 1, fixed: 1 }).execute(),
      "no row",
    ],
  ];
  test.each(cases)("%s", async (_, work, part) => {
    await failure(work, "INVALID_ARGUMENT", part);
  });

  test("unknown columns and filters", async () => {
    const hash = build().splitHash({ columns: ["nmae"], splitWeights: [1] });
    await failure(() => hash.execute(), "UNKNOWN_COLUMN", '"nmae"', '"name"');
    await failure(() => build().filter("id >").execute(), "INVALID_FILTER", "id >");
  });

  test("a permutation of another table", async () => {
    const other = await writeIds(folder, "other", 100, { fragments: 3 });
    const table = await permutationBuilder(path).execute();
    await failure(() => Permutation.fromTables(other, table), "INVALID_ARGUMENT", "ids.lance");
  });

  test("a table that is no permutation", async () => {
    await failure(() => Permutation.fromTables(path, path), "INVALID_ARGUMENT", "row_id");
  });
});
