import { describe, expect, it } from "vitest";
import { runChild } from "../process/support/child.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Milliseconds in which a process that nobody needs is gone, on a busy machine. */
const atOnce = 2000;
const program = new URL("./children/end.ts", import.meta.url);
const table = await writeIds(tempFolder(), "ids", 200);

describe("a process with worker threads", () => {
  it.each([
    ["loops_without_closing", "gives_nothing_else", ["ended"]],
    ["leaves_its_loop", "gives_nothing_else", []],
    ["leaves_its_loop", "never_settles", []],
    ["leaves_its_loop", "never_returns", []],
    ["abandons_its_iterator", "gives_nothing_else", []],
    ["abandons_its_iterator", "never_settles", []],
    ["aborts", "never_settles", ["ABORTED"]],
    ["aborts", "never_returns", ["ABORTED"]],
    ["closes_under_a_loop", "never_settles", ["CLOSED", ""]],
    ["closes_under_a_loop", "never_returns", ["CLOSED", ""]],
    ["loops_again_after_the_failure", "exits", ["WORKER_FAILED", "110"]],
    ["loops_again_after_the_failure", "throws_elsewhere", ["WORKER_FAILED", "110"]],
    ["loops_again_after_the_failure", "throws_undefined", ["TRANSFORM_FAILED", "110"]],
  ])("exits_by_itself_at_once_when_it_%s_and_a_transform_%s", async (ending, how, printed) => {
    const ended = await runChild(program, [table, ending, how]);
    expect(ended).toMatchObject({ code: 0, lines: [...printed, "nobody waits"], errors: "" });
    expect(ended.lingered).toBeLessThan(atOnce);
  });

  it("goes_on_when_a_thread_runs_out_of_memory", async () => {
    const args = [table, "loops_again_after_the_failure", "runs_out_of_memory"];
    const ended = await runChild(program, args, { flags: ["--max-old-space-size=64"] });
    expect(ended).toMatchObject({ code: 0, lines: ["WORKER_FAILED", "110", "nobody waits"] });
  });
});
