import { expect, test } from "vitest";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { runChild } from "./support/child.ts";

const folder = tempFolder();

test("the old name of an option is warned of once a process", async () => {
  const path = await writeIds(folder, "ids", 10);
  const { code, lines } = await runChild(new URL("./children/old-option.ts", import.meta.url), [path], {
    flags: ["--no-warnings"],
  });
  expect(code).toBe(0);
  expect(JSON.parse(lines.at(-1) ?? "")).toEqual([
    "DeprecationWarning: The option prefetchBatches of lance-loader is now called ioQueueDepth.",
  ]);
});
