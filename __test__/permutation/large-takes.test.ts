import { Binary, Table, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { Permutation, permutationBuilder, type Row } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect, idOf } from "../support/reading.ts";
import { idRows, range, tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();

/** The KiB of the row with an id. */
function payloadOf(id: number): Uint8Array {
  return Uint8Array.from({ length: 1024 }, (_, at) => (id * 31 + at * 7 + (at >> 5) * id) % 251);
}

/** The rows from `start` to before `end`, of 1 KiB each. */
function payloadRows(start: number, end: number): Table {
  const payload = range(start, end).map(payloadOf);
  return idRows(start, end)
    .select(["id"])
    .assign(new Table({ payload: vectorFromArray(payload, new Binary()) }));
}

describe.each([1, 40])("4000 rows of 1 KiB in %i fragments", (fragments) => {
  test.each([false, true])("are taken at their offsets, with stable row ids: %s", async (stableRowIds) => {
    const name = `rows-${fragments}-${stableRowIds}`;
    const size = 4400 / fragments;
    const parts = range(0, fragments).map((part) => payloadRows(part * size, (part + 1) * size));
    const table = await writeTable(folder, name, parts, { stableRowIds });
    await table.delete("id % 11 = 3");
    const path = tablePath(folder, name);
    const built = await permutationBuilder(path).shuffle({ seed: 1 }).execute();
    const permutation = await Permutation.fromTables(path, built);
    const order = (await collect(permutation.selectColumns(["id"]))).map(idOf);
    expect(order).toHaveLength(4000);
    expect(order).not.toEqual(order.toSorted((left, right) => left - right));
    const few = permutation.withTake(512);
    for (const offsets of [range(0, 512), [...range(0, 4000), ...range(0, 4000)].toReversed()]) {
      const rows = await (offsets.length === 512 ? few : permutation).takeOffsets(offsets);
      expect(rows).toHaveLength(offsets.length);
      for (const [at, row] of rows.entries()) checkRow(row, order[offsets[at] ?? -1] ?? -1);
    }
  });
});

function checkRow(row: Row, id: number): void {
  const payload = row["payload"] as Uint8Array;
  if (idOf(row) !== id || Buffer.compare(payload, payloadOf(id)) !== 0)
    throw new Error(`row ${idOf(row)} came where ${id} is`);
}

describe("strings that pass 2 GiB", () => {
  const mebibytes = 64;

  async function long(): Promise<Permutation> {
    const text = "x".repeat(mebibytes * 2 ** 20);
    await writeTable(folder, "long", [new Table({ text: vectorFromArray([text, "short"], new Utf8()) })]);
    return await Permutation.identity(tablePath(folder, "long"));
  }

  test("are refused before memory is taken, with the way out, and what is shorter goes on", async () => {
    const permutation = await long();
    const offsets = new Array(2048 / mebibytes).fill(0);
    const arrow = permutation.withFormat("arrow");
    await failure(() => arrow.takeOffsets(offsets), "BATCH_TOO_LARGE", "text", "fewer rows");
    const all = arrow.withRepeat(1000).iter({ batchSize: 2000 });
    await failure(() => all.next(), "BATCH_TOO_LARGE", "text", "fewer rows");
    const batches = await collect(arrow.withRepeat(2).iter({ batchSize: 2 }));
    expect(batches.map(({ numRows }) => numRows)).toEqual([2, 2]);
    expect(await permutation.takeOffsets([1, 1])).toEqual([{ text: "short" }, { text: "short" }]);
  });
});
