import { connect } from "@lancedb/lancedb";
import { describe, expect, test } from "vitest";
import { Permutation, permutationBuilder, StreamingDataset } from "../../src/index.ts";
import { reportOf } from "../process/support/child.ts";
import { failure } from "../support/errors.ts";
import { collect, epochIds, idOf, sorted } from "../support/reading.ts";
import { range, tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const program = new URL("./children/change.ts", import.meta.url);

/** Changes a table in a process of its own, and answers its version afterwards. */
function change(
  name: string,
  what: string,
  onLine?: (line: string) => void,
): Promise<{ version: number; indices: number }> {
  return reportOf(program, [folder, name, what], onLine === undefined ? {} : { onLine });
}

describe.each([false, true])("with stable row ids: %s", (stableRowIds) => {
  const name = `ids-${stableRowIds}`;

  test("a permutation reads its own version, whatever another process does to the table", async () => {
    const path = await writeIds(folder, name, 40, { fragments: 4, stableRowIds, deleted: "id = 7" });
    const builder = permutationBuilder(path).filter("id <> 9").shuffle({ seed: 2 });
    const built = await builder.execute();
    const stored = await builder.persist(folder, `${name}-split`);
    const open = (source: typeof built | string) => Permutation.fromTables(path, source);
    const read = async (source: typeof built | string) => {
      const rows = await collect(await open(source));
      expect(rows.map((row) => row["name"])).toEqual(rows.map((row) => `row ${idOf(row)}`));
      return rows.map(idOf);
    };
    const expected = await read(built);
    expect(sorted(expected)).toEqual(range(0, 40).filter((id) => id !== 7 && id !== 9));
    let last = built.baseVersion;
    for (const what of ["append", "delete", "update", "index", "compact", "append", "compact"]) {
      const { version, indices } = await change(name, what);
      expect(version).toBeGreaterThan(last);
      if (what === "index") expect(indices).toBe(1);
      last = version;
      for (const source of [built, tablePath(folder, `${name}-split`)]) {
        expect(await read(source), what).toEqual(expected);
        const permutation = await open(source);
        const offsets = [5, 0, 37, 5];
        const taken = await permutation.takeOffsets(offsets);
        expect(taken.map(idOf)).toEqual(offsets.map((offset) => expected[offset]));
        expect(await epochIds(path, { permutation, shuffle: false })).toEqual(expected);
      }
    }
    expect(stored.baseVersion).toBe(built.baseVersion);
    const later = await permutationBuilder(path).filter("id <> 9").execute();
    expect(sorted(await read(later).catch(() => []))).not.toEqual(sorted(expected));
  });

  test("a build is of one version while another process writes", async () => {
    const growing = `${name}-growing`;
    const path = await writeIds(folder, growing, 1000, { stableRowIds });
    const versions = new Set<number>();
    let writes = true;
    const done = change(growing, "grow").finally(() => {
      writes = false;
    });
    const builders = [
      permutationBuilder(path).splitRandom({ fixed: 1, seed: 1 }),
      permutationBuilder(path)
        .splitHash({ columns: ["id"], splitWeights: [1] })
        .shuffle(),
      permutationBuilder(path).splitCalculated({ calculation: "id * 0" }).filter("id >= 0"),
    ];
    while (writes) {
      for (const builder of builders) {
        const built = await builder.execute();
        versions.add(built.baseVersion);
        const ids = (await collect(await Permutation.fromTables(path, built))).map(idOf);
        // Version 1 has the first rows, and each later one 50 more.
        expect(sorted(ids)).toEqual(range(0, 1000 + (built.baseVersion - 1) * 50));
      }
    }
    await done;
    expect(versions.size).toBeGreaterThan(1);
  });

  test("a version that was cleaned up is named, with the way to keep one", async () => {
    const old = `${name}-old`;
    const path = await writeIds(folder, old, 10, { stableRowIds });
    const built = await permutationBuilder(path).persist(folder, `${old}-split`);
    const stored = tablePath(folder, `${old}-split`);
    const permutation = await Permutation.fromTables(path, stored);
    await change(old, "append");
    await change(old, "compact");
    await change(old, "forget versions");
    const words = [`version ${built.baseVersion}`, "tag"];
    await failure(() => Permutation.fromTables(path, stored), "VERSION_NOT_FOUND", ...words);
    await failure(() => StreamingDataset.open(path, { permutation }), "VERSION_NOT_FOUND", ...words);
  });

  test("a version with a tag is not cleaned up", async () => {
    const kept = `${name}-kept`;
    const path = await writeIds(folder, kept, 10, { stableRowIds });
    const built = await permutationBuilder(path).shuffle({ seed: 1 }).persist(folder, `${kept}-split`);
    const table = await (await connect(folder)).openTable(kept);
    await (await table.tags()).create("trained-on", built.baseVersion);
    const rows = async () => {
      const permutation = await Permutation.fromTables(path, tablePath(folder, `${kept}-split`));
      return (await collect(permutation)).map(idOf);
    };
    const expected = await rows();
    for (const what of ["append", "compact"]) await change(kept, what);
    await expect(change(kept, "forget versions")).rejects.toThrow("trained-on");
    expect(await rows()).toEqual(expected);
  });
});
