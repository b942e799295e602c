import { beforeAll, describe, expect, it } from "vitest";
import { reportOf } from "../process/support/child.ts";
import { range } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { writeWide } from "./support/wide-table.ts";

const flags = ["--expose-gc"];
const folder = tempFolder();
let table = "";

beforeAll(async () => {
  table = await writeWide(folder, "wide", 4096, 4);
});

describe("garbage collection", () => {
  it("spares_a_loader_that_only_its_loop_holds", async () => {
    const ids = await collected<number[]>("out-of-scope");
    const epoch = ids.slice(0, ids.length / 2);
    expect(epoch.toSorted((left, right) => left - right)).toEqual(range(0, 1024));
    expect(ids.slice(epoch.length)).toEqual(epoch);
  });

  it("spares_batches_and_arrays_of_batches_whose_dataset_is_closed_and_collected", async () => {
    // Eight of the batches and the dataset are gone, so that only the arrays can hold the memory.
    expect(await collected("held")).toEqual({ batches: 8, arrays: 8, collected: 9 });
  });

  it.each(["raw", "transformed"])(
    "ends_abandoned_iterations_of_%s_rows_though_their_signal_lives_on",
    async (how) => {
      const { held, left } = await collected<{ held: number; left: number }>("abandoned", how);
      expect(held).toBeGreaterThan(0);
      expect(left).toBe(0);
    },
  );

  it.each(["raw", "transformed"])(
    "leaves_nothing_of_loops_that_were_left_early_with_%s_rows",
    async (how) => {
      const { used, left, rss } = await collected<Record<"used" | "left" | "rss", number[]>>(
        "left",
        "40",
        how,
      );
      expect(Math.min(...used)).toBeGreaterThan(0);
      expect(Math.max(...left)).toBe(0);
      expect(Math.max(...rss.slice(20))).toBeLessThan(1.1 * Math.max(...rss.slice(10, 20)));
    },
  );
});

function collected<Report>(child: string, ...args: string[]): Promise<Report> {
  return reportOf<Report>(new URL(`./children/${child}.ts`, import.meta.url), [table, ...args], { flags });
}
