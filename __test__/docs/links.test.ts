import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/snippets.ts";

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root });

describe("the documentation", () => {
  it("links_to_files_that_are_there", () => {
    expect(pages.length).toBeGreaterThan(10);
    const broken = pages.flatMap((page) =>
      targetsIn(readFileSync(join(root, page), "utf8"))
        .filter((target) => !existsSync(join(root, dirname(page), target)))
        .map((target) => `${page} -> ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("has_an_index_that_names_every_page", () => {
    const index = readFileSync(join(root, "docs", "README.md"), "utf8");
    const named = new Set(targetsIn(index).map((target) => join("docs", target)));
    const missing = pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
    expect(missing.filter((page) => !named.has(page))).toEqual([]);
  });

  it("is_read_with_its_links", () => {
    expect(targetsIn("[a](b.md) ![c](d/e.svg#f) [g](https://h) [i](#j)")).toEqual(["b.md", "d/e.svg"]);
  });
});

/** The files of the repository that a page links to. */
function targetsIn(text: string): string[] {
  return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}
