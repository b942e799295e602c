import { connect } from "@lancedb/lancedb";
import { describe, expect, test } from "vitest";
import { Permutation, permutationBuilder } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect, idOf } from "../support/reading.ts";
import { idRows, tablePath, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();

describe.each([false, true])("with stable row ids: %s", (stableRowIds) => {
  const name = `ids-${stableRowIds}`;

  test("a permutation reads its own version whatever is done to the table", async () => {
    const path = await writeIds(folder, name, 40, { fragments: 4, stableRowIds, deleted: "id = 7" });
    const builder = permutationBuilder(path).filter("id <> 9").shuffle({ seed: 2 });
    const built = await builder.execute();
    const stored = await builder.persist(folder, `${name}-split`);
    const read = async (source: typeof built | string) =>
      (await collect(await Permutation.fromTables(path, source))).map(idOf);
    const expected = await read(built);
    const table = await (await connect(folder)).openTable(name);
    const changes = [
      () => table.add(idRows(40, 60)),
      () => table.delete("id % 3 = 0"),
      () => table.update({ where: "id = 4", values: { name: "changed" } }),
      () => table.optimize(),
    ];
    for (const change of changes) {
      await change();
      expect(await read(built)).toEqual(expected);
      expect(await read(tablePath(folder, `${name}-split`))).toEqual(expected);
    }
    expect(stored.baseVersion).toBe(built.baseVersion);
  });

  test("a version that was cleaned up is named, with the way to keep one", async () => {
    const path = await writeIds(folder, `${name}-old`, 10, { stableRowIds });
    const { baseVersion } = await permutationBuilder(path).persist(folder, `${name}-old-split`);
    const table = await (await connect(folder)).openTable(`${name}-old`);
    await table.add(idRows(10, 20));
    await table.optimize({ cleanupOlderThan: new Date(Date.now() + 1000), deleteUnverified: true });
    const open = () => Permutation.fromTables(path, tablePath(folder, `${name}-old-split`));
    await failure(open, "VERSION_NOT_FOUND", `version ${baseVersion}`, "tag");
  });
});
