import { describe, expect, test } from "vitest";
import { runChild } from "../process/support/child.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const program = new URL("./children/failing.ts", import.meta.url);
const table = await writeIds(tempFolder(), "ids", 8);

/** What a process reports that must end by itself, with nothing to say on stderr but warnings of skipped rows. */
async function run(who: string, how: string, policy = "raise"): Promise<Record<string, unknown>> {
  const { code, signal, lines, errors } = await runChild(program, [table, who, how, policy]);
  expect({ code, signal, errors: policy === "warn" ? "" : errors }).toEqual({
    code: 0,
    signal: null,
    errors: "",
  });
  if (policy === "warn") expect(errors.match(/LanceLoaderWarning/g)?.length).toBe(1);
  return JSON.parse(lines.at(-1) ?? "null");
}

const ways: [string, string][] = [
  ["throws_an_error", "broken"],
  ["throws_undefined", "undefined"],
  ["rejects", "broken"],
  ["rejects_with_undefined", "undefined"],
];
const aborted = { code: "ABORTED", message: "The read was ended by its signal.", later: 8 };

describe("in a process of its own, where a transform", () => {
  test.each(ways)("%s, the loop fails with what it threw, and the process ends well", async (how, said) => {
    expect(await run("transform", how)).toEqual({
      ids: [0, 1, 2, 3],
      code: "TRANSFORM_FAILED",
      message: `transform failed for a batch of 4 rows, the first with id 4: ${said}`,
      later: 8,
      skipped: 0,
    });
  });

  test.each(ways.flatMap(([how]) => ["skip", "warn"].map((policy) => [how, policy] as const)))(
    "%s, the loop goes on under %s",
    async (how, policy) => {
      expect(await run("transform", how, policy)).toEqual({
        ids: [0, 1, 2, 3, 4, 6, 7],
        later: 8,
        skipped: 1,
      });
    },
  );

  test.each(["raise", "skip", "warn"])(
    "never settles under an abort, the loop ends with the abort, under %s",
    async (policy) => {
      const { code, signal, lines, errors } = await runChild(program, [
        table,
        "transform",
        "never_settles",
        policy,
      ]);
      expect({ code, signal, errors }).toEqual({ code: 0, signal: null, errors: "" });
      expect(JSON.parse(lines.at(-1) ?? "null")).toMatchObject({ ids: [0, 1, 2, 3], ...aborted });
    },
  );
});

describe("in a process of its own, where the function that is asked about errors", () => {
  test.each(ways)("%s, the loop fails with what it threw, and the process ends well", async (how, said) => {
    expect(await run("onTransformError", how)).toEqual({
      ids: [0, 1, 2, 3],
      code: "TRANSFORM_FAILED",
      message: `onTransformError failed: ${said}. It was asked about: transform failed for the row with id 5: bad 5`,
      later: 8,
      skipped: 0,
    });
  });

  test("never settles under an abort, the loop ends with the abort", async () => {
    expect(await run("onTransformError", "never_settles")).toMatchObject({ ids: [0, 1, 2, 3], ...aborted });
  });
});
