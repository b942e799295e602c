import { beforeAll, describe, expect, test } from "vitest";
import { type PermutationBuilder, Permutations, permutationBuilder } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
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
  [
    "calculated",
    [
      ["split_calculated", { calculation: "id % 3" }],
      ["shuffle", { seed: 1 }],
    ],
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
    requests[`${base}-scattered`] = {
      work: "build",
      base,
      stored: `${base}-scattered`,
      calls: [["split_hash", { columns: ["name"], split_weights: [2, 1], discard_weight: 1 }]],
    };
    // Both sides must read the version that was built on.
    const last = `${base}-later`;
    await permutationBuilder(tablePath(database, base)).shuffle({ seed: 8 }).persist(database, last);
    await table.add(idRows(60, 70));
    await table.delete("id < 20");
    requests[last] = { work: "read", base, stored: last };
  }
  answers = askPython(database, requests);
}, 600_000);

describe.each(bases)("of the table %s", (base) => {
  test.each([...builds.map(([name]) => name), "later"])(
    "Python reads our permutation as we do: %s",
    async (name) => {
      expect(answers[`${base}-${name}`]).toEqual(await ours(base, `${base}-${name}`));
    },
  );

  test.each(calls.map(([name]) => name))("we read Python's permutation as it does: %s", async (name) => {
    expect(await ours(base, `${base}-${name}`)).toEqual(answers[`${base}-${name}`]);
  });

  test("Python's hash split without a shuffle, whose splits are not contiguous, is refused with the reason", async () => {
    await failure(() => ours(base, `${base}-scattered`), "INVALID_ARGUMENT", "split_id goes back");
  });
});
