import { connect } from "@lancedb/lancedb";
import { beforeAll, describe, expect, test } from "vitest";
import { type PermutationBuilder, Permutations, permutationBuilder } from "../../src/index.ts";
import { collect, idOf } from "../support/reading.ts";
import { idRows, tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { askPython, ensurePython } from "./python.ts";

const database = tempFolder();
/** Tables without and with stable row ids, to which more was written later than the version in use. */
const bases = ["moving", "stable"];

interface Answer {
  readonly names: string[];
  readonly splits: number[][];
  readonly named: Record<string, number[]>;
}

/** What we read of a stored permutation. */
async function ours(base: string, stored: string): Promise<Answer> {
  const opened = await Permutations.open(tablePath(database, base), tablePath(database, stored));
  const idsOf = async (split: number | string) => (await collect(opened.get(split))).map(idOf);
  const splits = await Promise.all(Array.from({ length: opened.length }, (_, split) => idsOf(split)));
  const named = await Promise.all(opened.splitNames.map(async (name) => [name, await idsOf(name)] as const));
  return { names: [...opened.splitNames], splits, named: Object.fromEntries(named) };
}

const builds: [string, (builder: PermutationBuilder) => PermutationBuilder][] = [
  ["identity", (builder) => builder],
  ["random", (builder) => builder.splitRandom({ ratios: [0.6, 0.4], seed: 3, splitNames: ["train", "vål"] })],
  ["clumps", (builder) => builder.splitSequential({ fixed: 2 }).shuffle({ seed: 1, clumpSize: 4 })],
  [
    "hash",
    (builder) =>
      builder.filter("id > 5").splitHash({ columns: ["name"], splitWeights: [2, 1], discardWeight: 1 }),
  ],
  [
    "sql",
    (builder) => builder.splitCalculated({ calculation: "id % 3 - 1", splitNames: ["a", "b"] }).shuffle(),
  ],
  [
    "clumped-random",
    (builder) =>
      builder.splitRandom({ counts: [20, 9], seed: 6, clumpSize: 5 }).filter("id % 2 = 0 OR id < 9"),
  ],
  [
    "named-hash",
    (builder) =>
      builder.splitHash({ columns: ["id", "name"], splitWeights: [1, 1, 1], splitNames: ["x", "y", "z"] }),
  ],
  ["bootstrap", (builder) => builder.bootstrapSample({ numSamples: 90, fixed: 2, seed: 4 })],
];

const calls: [string, [string, object][]][] = [
  [
    "names",
    [
      ["split_random", { ratios: [0.6, 0.4], seed: 3, split_names: ["train", "vål"] }],
      ["shuffle", {}],
    ],
  ],
  [
    "filter",
    [
      ["filter", { filter: "id % 2 = 0" }],
      ["split_sequential", { fixed: 3 }],
    ],
  ],
  ["chunks", [["shuffle", { seed: 5, clump_size: 4 }]]],
  [
    "hash-split",
    [
      ["split_hash", { columns: ["name"], split_weights: [2, 1], discard_weight: 1 }],
      ["shuffle", { seed: 2 }],
    ],
  ],
  ["interleaved", [["split_hash", { columns: ["name"], split_weights: [2, 1], discard_weight: 1 }]]],
  [
    "interleaved-named",
    [
      ["filter", { filter: "id > 9" }],
      [
        "split_hash",
        {
          columns: ["id", "name"],
          split_weights: [1, 1, 1],
          discard_weight: 0,
          split_names: ["x", "y", "z"],
        },
      ],
    ],
  ],
  [
    "clumped",
    [
      ["split_random", { counts: [12, 8], seed: 6, clump_size: 5 }],
      ["filter", { filter: "id % 2 = 0 OR id < 9" }],
    ],
  ],
  [
    "calculated",
    [
      ["split_calculated", { calculation: "id % 3" }],
      ["shuffle", { seed: 1 }],
    ],
  ],
  [
    "calculated-in-order",
    [["split_calculated", { calculation: "id % 4 - 1", split_names: ["a", "b", "c"] }]],
  ],
];

/** Python's answers by the names of the stored permutations. */
let answers: Record<string, unknown>;

beforeAll(async () => {
  ensurePython();
  const requests: Record<string, object> = {};
  for (const base of bases) {
    const table = await writeTable(database, base, [idRows(0, 30), idRows(30, 60)], {
      stableRowIds: base === "stable",
    });
    await table.delete("id % 7 = 3");
    for (const [name, build] of builds) {
      const stored = `${base}-${name}`;
      await build(permutationBuilder(tablePath(database, base))).persist(database, stored);
      requests[stored] = { work: "read", base, stored };
    }
    for (const [name, list] of calls) {
      const stored = `${base}-${name}`;
      requests[stored] = { work: "build", base, stored, calls: list };
    }
    // Both sides must read the version that was built on.
    const last = `${base}-later`;
    await permutationBuilder(tablePath(database, base)).shuffle({ seed: 8 }).persist(database, last);
    await table.add(idRows(60, 70));
    await table.delete("id < 20");
    requests[last] = { work: "read", base, stored: last };
    // On a branch, whose versions are counted apart from main's.
    const branch = await (await table.branches()).create("trial");
    await branch.add(idRows(70, 80));
    const [here, there] = [`${base}-branch`, `${base}-python-branch`];
    await permutationBuilder(branch).splitRandom({ fixed: 2, seed: 2 }).persist(database, here);
    await branch.delete("id > 74");
    requests[here] = { work: "read", base, stored: here, branch: "trial" };
    const shuffle: [string, object] = ["shuffle", { seed: 3 }];
    requests[there] = { work: "build", base, stored: there, branch: "trial", calls: [shuffle] };
  }
  answers = askPython(database, requests);
}, 600_000);

describe.each(bases)("of the table %s", (base) => {
  test.each([...builds.map(([name]) => name), "later", "branch"])(
    "Python reads our permutation as we do: %s",
    async (name) => {
      expect(answers[`${base}-${name}`]).toEqual(await ours(base, `${base}-${name}`));
    },
  );

  const theirs = [...calls.map(([name]) => name), "python-branch"];
  test.each(theirs)("we read Python's permutation as it does: %s", async (name) => {
    expect(await ours(base, `${base}-${name}`)).toEqual(answers[`${base}-${name}`]);
  });

  test("Python's splits are stored interleaved after a hash split, and one after the other where it shuffles", async () => {
    const connection = await connect(database);
    const goesBack = async (name: string) => {
      const stored = await connection.openTable(`${base}-${name}`);
      const splits = (await stored.query().toArray()).map((row) => Number(row.split_id));
      return splits.some((split, row) => split < (splits[row - 1] ?? 0));
    };
    expect(await goesBack("interleaved")).toBe(true);
    expect(await goesBack("hash-split")).toBe(false);
  });
});
