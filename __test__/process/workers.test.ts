import { beforeAll, describe, expect, it } from "vitest";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { reportOf, runChild } from "./support/child.ts";

const rows = 20_000;
const folder = tempFolder();
let table = "";

beforeAll(async () => {
  table = await writeIds(folder, "ids", rows, { fragments: 4 });
});

describe("worker threads", () => {
  it("load_and_leave_the_addon_thirty_times_without_harm_to_a_process_that_never_loads_it", async () => {
    const rounds = await runChild(new URL("./children/worker-rounds.ts", import.meta.url), [table, "30"]);
    expect(rounds).toMatchObject({ code: 0, signal: null, errors: "", lines: ["30"] });
  }, 120_000);

  it("read_one_table_side_by_side_with_each_other_and_with_the_main_thread", async () => {
    const { here, workers } = await reportOf<{ here: number[][]; workers: number[][] }>(
      new URL("./children/threads.ts", import.meta.url),
      [table],
    );
    const [first = [], second = []] = workers;
    expect(here).toEqual([first, second, first]);
    expect([...first, ...second].toSorted((left, right) => left - right)).toEqual(range(0, rows));
  });
});
