import { connect } from "@lancedb/lancedb";
import { Table, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { Permutations, permutationBuilder, type SplitHashOptions } from "../../src/index.ts";
import { golden } from "../support/golden.ts";
import { collect } from "../support/reading.ts";
import { tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const { keys, splitWeights, discardWeight } = golden<{
  readonly splitWeights: number[];
  readonly discardWeight: number;
  readonly keys: readonly { readonly key: string | null; readonly split: number | null }[];
}>("permutation/hash-split.json");
const options: SplitHashOptions = { columns: ["key"], splitWeights, discardWeight };

type Key = string | null;

function keyRows(rows: readonly Key[]): Table {
  return new Table({ key: vectorFromArray([...rows], new Utf8()) });
}

let tables = 0;

/** A new table with these keys, some in each fragment. */
async function write(...parts: Key[][]): Promise<string> {
  const name = `keys-${tables++}`;
  await writeTable(folder, name, parts.map(keyRows));
  return name;
}

/** The splits in which the keys of a table's newest version are; each key is in one split only. */
async function splitsOf(name: string, wanted = options): Promise<Map<Key, number>> {
  const path = tablePath(folder, name);
  const splits = await Permutations.open(path, await permutationBuilder(path).splitHash(wanted).execute());
  const found = new Map<Key, number>();
  for (let split = 0; split < splits.length; split++) {
    for (const row of await collect(splits.get(split))) {
      const key = row["key"] as Key;
      expect(found.get(key) ?? split, `split of ${key}`).toBe(split);
      found.set(key, split);
    }
  }
  return found;
}

const frozen = new Map(keys.flatMap(({ key, split }) => (split === null ? [] : [[key, split] as const])));
const all = keys.map(({ key }) => key);

describe("a hash split of a real table", () => {
  test("puts ten keys and null where they have been since version 1", async () => {
    expect(all).toHaveLength(11);
    expect(new Set(frozen.values()).size).toBe(splitWeights.length);
    expect(await splitsOf(await write(all))).toEqual(frozen);
  });

  test("puts no key elsewhere when rows are reversed, doubled, spread over fragments, or more nulls come", async () => {
    const reversed = all.toReversed();
    const orders = [[reversed], [[...all, ...all]], [all, reversed, all], [[null, ...all, null, null]]];
    for (const parts of orders) expect(await splitsOf(await write(...parts))).toEqual(frozen);
  });

  test("puts no key elsewhere when rows are appended, deleted, updated or moved", async () => {
    const name = await write(all, all);
    const table = await (await connect(folder)).openTable(name);
    await table.add(keyRows(Array.from({ length: 500 }, (_, row) => `new ${row}`)));
    const grown = await splitsOf(name);
    expect(grown.size).toBeGreaterThan(200);
    for (const [key, split] of frozen) expect(grown.get(key)).toBe(split);
    await table.delete("key like 'new %5%' or key = 'a'");
    await table.update({ where: "key = 'new 1'", values: { key: "renamed" } });
    await table.optimize();
    const changed = await splitsOf(name);
    for (const [key, split] of changed) if (key !== "renamed") expect(grown.get(key)).toBe(split);
    expect([changed.has("a"), changed.has("renamed") || changed.has("new 1")]).toContain(false);
  });

  test("is another one for other columns or weights", async () => {
    const name = await write(Array.from({ length: 200 }, (_, row) => `row ${row}`));
    const equal = await splitsOf(name, { columns: ["key"], splitWeights: [1, 1] });
    const heavy = await splitsOf(name, { columns: ["key"], splitWeights: [9, 1] });
    expect([equal.size, heavy.size]).toEqual([200, 200]);
    const count = (splits: Map<Key, number>) => [...splits.values()].filter((split) => split === 0).length;
    expect(count(heavy)).toBeGreaterThan(count(equal) + 40);
  });
});
