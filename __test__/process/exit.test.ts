import { beforeAll, describe, expect, it } from "vitest";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type Ended, runChild } from "./support/child.ts";

const program = new URL("./children/end.ts", import.meta.url);
/** Milliseconds in which a process that nobody needs is gone, on a busy machine. */
const atOnce = 2000;
const folder = tempFolder();
let table = "";

beforeAll(async () => {
  table = await writeIds(folder, "ids", 100_000, { fragments: 4 });
});

describe("a process", () => {
  it.each([
    ["loop_is_left", []],
    ["iterator_is_left_unfinished", []],
    ["dataset_is_never_closed", []],
    ["read_is_aborted", ["ABORTED"]],
    ["dataset_is_closed_under_a_read", ["CLOSED"]],
    ["iterator_is_ended_under_a_read", ["true"]],
  ])("exits_by_itself_at_once_when_its_%s", async (ending, printed) => {
    const ended = await end(ending);
    expect(ended).toMatchObject({ code: 0, lines: [...printed, "nobody waits"], errors: "" });
    expect(ended.lingered).toBeLessThan(atOnce);
  });

  it("would_be_seen_to_linger_by_these_tests", async () => {
    expect((await end("timer_is_held")).lingered).toBeGreaterThan(atOnce);
  });

  it.each(["a_read_is_pending", "an_opening_is_pending"])("stays_for_its_result_while_%s", async (ending) => {
    expect(await end(ending)).toMatchObject({ code: 0, lines: ["nobody waits", "100000"], errors: "" });
  });

  it("fails_with_the_error_that_the_body_of_a_loop_throws", async () => {
    const ended = await end("body_throws");
    expect(ended).toMatchObject({ code: 1, lines: [] });
    expect(ended.errors).toContain("Error: the body failed");
  });

  it.each([0, 1, 5, 50])(
    "exits_with_its_own_code_in_the_middle_of_a_read_after_%i_batches",
    async (batches) => {
      for (let round = 0; round < 3; round++)
        expect(await end("process_exits_in_a_read", batches)).toMatchObject({
          code: 7,
          lines: [],
          errors: "",
        });
    },
  );
});

function end(ending: string, batches = 0): Promise<Ended> {
  return runChild(program, [table, ending, String(batches)]);
}
