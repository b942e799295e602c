import { Bool, makeData, Table, Vector } from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import { reportOf } from "../process/support/child.ts";
import { tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const parts = 8;
const partRows = 2 ** 27;
const rows = parts * partRows;
/** LanceDB begins a new fragment after so many rows. */
const fragmentRows = 2 ** 20;
/** Bytes that the first batch may add: 8 bytes a row would be 128 times as many. */
const allowance = 64 * 2 ** 20;
const child = new URL("./children/billion.ts", import.meta.url);
const folder = tempFolder();

beforeAll(async () => {
  const part = () => {
    const data = new Uint8Array(partRows / 8).fill(0b1011_0100);
    return new Table({ flag: new Vector([makeData({ type: new Bool(), length: partRows, data })]) });
  };
  await writeTable(folder, "billion", Array.from({ length: parts }, part));
}, 120_000);

interface Found {
  /** Resident memory that is no file's, in bytes: what was added. */
  readonly added: number;
  readonly rowIds: readonly string[];
  readonly flags: readonly boolean[];
}

// Memory that is no file's is told on Linux only.
describe.runIf(process.platform === "linux")("the first batch of a shuffle of 2^30 rows", () => {
  it("comes_from_all_over_the_table_and_takes_no_memory_that_grows_with_the_rows", async () => {
    const { added, rowIds, flags } = await reportOf<Found>(child, [tablePath(folder, "billion"), "batch"]);
    expect(added).toBeLessThan(allowance);
    // The upper half of a row id is its fragment.
    const fragments = rowIds.map((id) => Number(BigInt(id) >> 32n));
    const places = rowIds.map(
      (id, row) => (fragments[row] ?? 0) * fragmentRows + Number(BigInt(id) & 0xffff_ffffn),
    );
    expect(new Set(places).size).toBe(256);
    // Of 1024 fragments, 256 places at random are in 227 on average.
    expect(new Set(fragments).size).toBeGreaterThan(200);
    expect(Math.max(...places)).toBeLessThan(rows);
    expect(flags).toEqual(places.map((place) => [2, 4, 5, 7].includes(place % 8)));
  }, 120_000);

  it("would_be_seen_to_take_a_bit_a_row", async () => {
    const { added } = await reportOf<Found>(child, [tablePath(folder, "billion"), "bits"]);
    expect(added).toBeGreaterThan(allowance);
  }, 120_000);
});
