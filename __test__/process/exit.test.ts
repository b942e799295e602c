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
    ["loop is left", []],
    ["iterator is left unfinished", []],
    ["dataset is never closed", []],
    ["read is aborted", ["ABORTED"]],
    ["dataset is closed under a read", ["CLOSED"]],
    ["iterator is ended under a read", ["true"]],
  ])("exits_by_itself_at_once_when_its_%s", async (ending, printed) => {
    const ended = await end(ending);
    expect(ended).toMatchObject({ code: 0, lines: [...printed, "nobody waits"], errors: "" });
    expect(ended.lingered).toBeLessThan(atOnce);
  });

  it("would_be_seen_to_linger_by_these_tests", async () => {
    expect((await end("timer is held")).lingered).toBeGreaterThan(atOnce);
  });

  it.each([
    ["read is pending", "16"],
    ["opening is pending", "100000"],
  ])("stays_for_its_result_while_a_%s", async (ending, result) => {
    expect(await end(ending)).toMatchObject({ code: 0, lines: ["nobody waits", result], errors: "" });
  });

  it("fails_with_the_error_that_the_body_of_a_loop_throws", async () => {
    const ended = await end("body throws");
    expect(ended).toMatchObject({ code: 1, lines: [] });
    expect(ended.errors).toContain("Error: the body failed");
  });

  it.each([0, 1, 5, 50])(
    "exits_with_its_own_code_in_the_middle_of_a_read_after_%i_batches",
    async (batches) => {
      for (let round = 0; round < 3; round++)
        expect(await end("process exits in a read", batches)).toMatchObject({
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
