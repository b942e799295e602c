import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { Binary, Schema, Table, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { type PermutationBuilder, Permutations, permutationBuilder } from "../../src/index.ts";
import { reportOf } from "../process/support/child.ts";
import { collect, idOf, sorted } from "../support/reading.ts";
import { idRows, range, tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();

function bytesOf(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

const strategies: [string, (builder: PermutationBuilder) => PermutationBuilder][] = [
  ["none", (builder) => builder],
  ["random", (builder) => builder.splitRandom({ ratios: [0.5, 0.5], seed: 2 }).shuffle({ seed: 1 })],
  ["hash", (builder) => builder.splitHash({ columns: ["id"], splitWeights: [1, 1] })],
  ["calculated", (builder) => builder.splitCalculated({ calculation: "id % 2" }).filter("id >= 0")],
  ["bootstrap", (builder) => builder.bootstrapSample({ numSamples: 80, fixed: 2 })],
];

describe("the base table's own metadata", () => {
  const own = new Map([
    ["huggingface", '{"info":{"features":{"id":{"dtype":"int32"}}}}'],
    ["split_names", '["mine","yours","theirs"]'],
    ["base_version", "77"],
    ["base_branch", "elsewhere"],
    ["lance_loader.format", "99"],
  ]);

  test.each(strategies)("neither leaks into a permutation nor breaks it: %s", async (name, build) => {
    const rows = idRows(0, 40);
    const schema = new Schema(rows.schema.fields, own);
    const base = `noisy-${name}`;
    const table = await writeTable(folder, base, [new Table(schema, rows.batches)]);
    expect((await table.schema()).metadata.get("huggingface")).toBe(own.get("huggingface"));
    const built = await build(permutationBuilder(tablePath(folder, base))).persist(folder, `${base}-split`);
    expect([built.splitNames, built.baseBranch]).toEqual([null, null]);
    const { metadata } = await (await (await connect(folder)).openTable(`${base}-split`)).schema();
    expect(metadata.has("huggingface")).toBe(false);
    expect(metadata.has("split_names")).toBe(false);
    expect(metadata.get("base_version")).toBe(String(built.baseVersion));
    const read = await Permutations.open(tablePath(folder, base), tablePath(folder, `${base}-split`));
    const memory = await Permutations.open(tablePath(folder, base), built);
    expect(read.splitNames).toEqual([]);
    for (const split of range(0, read.length)) {
      const ids = (await collect(read.get(split))).map(idOf);
      expect(ids).toEqual((await collect(memory.get(split))).map(idOf));
      if (name !== "bootstrap") expect(new Set(ids).size).toBe(ids.length);
    }
  });
});

describe("of 10,000 rows of 64 KiB", () => {
  const base = "payload";
  const built = writePayload();

  test("only ids are stored, in less than 100 bytes a row", async () => {
    const path = await built;
    for (const [name, build] of strategies.slice(0, 4)) {
      const stored = `payload-${name}`;
      const { splitLengths } = await build(permutationBuilder(path)).persist(folder, stored);
      const rows = splitLengths.reduce((sum, length) => sum + length, 0);
      const table = await (await connect(folder)).openTable(stored);
      expect((await table.schema()).fields.map((field) => field.name)).toEqual(["row_id", "split_id"]);
      expect([rows, await table.countRows()]).toEqual([10_000, 10_000]);
      expect(bytesOf(tablePath(folder, stored)) / rows).toBeLessThan(100);
      const ids = (await table.query().toArray()).map((row) => Number(row.row_id));
      expect(new Set(ids).size).toBe(10_000);
    }
  });

  test("a build takes far less memory than the payload, which a read takes", async () => {
    const path = await built;
    const program = new URL("./children/build.ts", import.meta.url);
    type Growth = { readonly built: number; readonly read: number; readonly ids: number[] };
    const growth = await reportOf<Growth>(program, [path, folder, "payload-child"]);
    expect(growth.built).toBeLessThan(2 ** 26);
    expect(growth.read).toBeGreaterThan(2 ** 26);
    expect(sorted(growth.ids)).toEqual(range(0, 2000));
  });

  async function writePayload(): Promise<string> {
    const payload = Buffer.alloc(2 ** 16, "payload ");
    const parts = range(0, 10).map((part) => {
      const rows = idRows(part * 1000, (part + 1) * 1000);
      const bytes = range(0, 1000).map((row) => {
        payload.writeUInt32LE(part * 1000 + row);
        return Uint8Array.from(payload);
      });
      return rows.select(["id"]).assign(new Table({ payload: vectorFromArray(bytes, new Binary()) }));
    });
    await writeTable(folder, base, parts);
    return tablePath(folder, base);
  }
});
