import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runChild } from "../process/support/child.ts";
import { known } from "../support/known.ts";
import { root, snippetsOf } from "../support/snippets.ts";
import { programOf } from "./support/program.ts";

const guide = readdirSync(join(root, "docs", "guide")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...guide.map((name) => `docs/guide/${name}`)].filter(
  (page) => snippetsOf(page).length > 0,
);
// Inside the checkout, so that snippets find its packages, and the library by its own name.
const folder = join(root, ".data", `snippets-${process.pid}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("every snippet runs", () => {
  it.each(pages)("of_%s", async (page) => {
    const { code, errors, lines } = await run(page, page.replaceAll("/", "-"));
    expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
    const ran = lines.filter((line) => line.startsWith('{"ran":')).map((line) => JSON.parse(line).ran);
    expect(ran).toEqual(snippetsOf(page).map(({ line }) => line));
  });
});

it("getting_started_ends_as_it_says", async () => {
  const page = "docs/guide/getting-started.md";
  const { lines } = await run(page, "told");
  const told = /```console\n\$ node launch\.js\n([^`]+)```/.exec(readFileSync(join(root, page), "utf8"))?.[1];
  const shown = known(told).trim().split("\n");
  expect(shown).toHaveLength(6);
  // Ranks end in any order.
  expect(lines.filter((line) => / of [24]: /.test(line)).toSorted()).toEqual(shown.toSorted());
});

describe("a snippet as a program", () => {
  it("that_fails_is_found", async () => {
    mkdirSync(folder, { recursive: true });
    const page = join(folder, "wrong.md");
    const snippet = 'await StreamingDataset.open("data/train.lance", { colums: ["image"] });';
    writeFileSync(page, `# Wrong\n\n\`\`\`ts\n${snippet}\n\`\`\`\n`);
    const { code, errors } = await run(page, "wrong");
    expect(code).toBe(1);
    expect(errors).toContain("wrong.md:4 fails");
    expect(errors).toContain('has no option "colums"');
  });

  it("has_the_files_that_it_names", () => {
    const { files, program } = programOf("README.md", "// a.js\nexport default 1;\n\n// b.js\nrun();\n");
    expect(files).toEqual({ "a.js": "\nexport default 1;\n\n", "b.js": "\nrun();\n" });
    expect(program).toContain("run();");
    expect(program).not.toContain("export default");
  });
});

function run(page: string, name: string) {
  return runChild(new URL("./support/run-page.ts", import.meta.url), [page, join(folder, name)]);
}
