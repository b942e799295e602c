import { expect, it } from "vitest";
import { reportOf } from "../process/support/child.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const table = await writeIds(folder, "ids", 12_800, { fragments: 200 });

it.each(["epoch", "offsets"])(
  "takes_of_random_rows_of_many_fragments_need_no_more_memory_the_longer_they_go_on: %s",
  async (way) => {
    const { rss, rows } = await reportOf<{ rss: number[]; rows: number }>(
      new URL("./children/takes.ts", import.meta.url),
      [table, way],
    );
    const [middle = 0, end = Number.POSITIVE_INFINITY] = rss;
    expect(rows).toBe(2000 * 64);
    expect(end).toBeLessThanOrEqual(1.1 * middle);
  },
  120_000,
);
