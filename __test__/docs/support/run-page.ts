// Runs every snippet of a page of the documentation, one after the other: `run-page.ts PAGE FOLDER`. Prints the line of each that ran.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { report } from "../../process/support/print.ts";
import { snippetsOf } from "../../support/snippets.ts";
import { closeGiven, writeGiven } from "./given.ts";
import { programOf } from "./program.ts";

const [page = "", folder = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
process.chdir(folder);
await writeGiven();
for (const { line, code } of snippetsOf(page)) {
  const { files, program } = programOf(page, code);
  for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
  const file = join(folder, `line-${line}.ts`);
  writeFileSync(file, program);
  try {
    await import(pathToFileURL(file).href);
  } catch (cause) {
    throw new Error(`the snippet at ${page}:${line} fails`, { cause });
  }
  report({ ran: line });
}
await closeGiven();
