import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { runChild } from "./support/child.ts";

const folder = tempFolder();

it("a_panic_of_rust_is_an_error_and_the_process_goes_on", async () => {
  const sound = await writeIds(folder, "sound", 60);
  const damaged = await writeIds(folder, "damaged", 60);
  damage(damaged);
  const ended = await runChild(new URL("./children/damaged.ts", import.meta.url), [damaged, sound]);
  // Lance's decoder panics over this damage: without a panic, this test would show nothing.
  expect(ended.errors).toMatch(/thread 'lance-loader'.* panicked at /);
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(JSON.parse(ended.lines.join())).toMatchObject({
    error: { code: "READ_FAILED", message: expect.stringContaining("panicked") },
    rows: 60,
  });
});

/** Overwrites the lengths of a table's first column, behind which its decoder finds no bytes. */
function damage(table: string): void {
  const [file = ""] = readdirSync(join(table, "data"));
  const path = join(table, "data", file);
  writeFileSync(path, readFileSync(path).fill(0xff, 58, 98));
}
