import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Sandbox } from "./sandbox.ts";

const script = join(import.meta.dirname, "..", "..", ".github", "report-links.sh");

/** Runs the report with a GitHub that has these open issues, and tells what was asked of it. */
function report(exitCode: string, issue: string) {
  using sandbox = new Sandbox();
  sandbox.program("bin/gh", `[ "$2" = list ] && echo "${issue}" || echo "$1 $2 $3" >> asked`);
  sandbox.write("links.md", "a broken link");
  sandbox.write("asked", "");
  const { status, stdout } = spawnSync("bash", [script, exitCode, "links.md"], {
    cwd: sandbox.folder,
    encoding: "utf8",
    env: { PATH: `${join(sandbox.folder, "bin")}:/usr/bin:/bin` },
  });
  expect(status).toBe(0);
  return { asked: readFileSync(join(sandbox.folder, "asked"), "utf8").trim(), stdout };
}

describe.skipIf(process.platform === "win32")("the report of broken links", () => {
  it.each([
    ["opens_an_issue_where_there_is_none", "2", "", "issue create --title"],
    ["updates_the_one_that_is_open", "2", "17", "issue edit 17"],
    ["closes_it_once_all_links_are_good", "0", "17", "issue close 17"],
    ["does_nothing_where_all_is_good", "0", "", ""],
  ])("%s", (_, exitCode, issue, asked) => {
    expect(report(exitCode, issue).asked).toBe(asked);
  });

  it.each(["1", "3", ""])("tells_a_checker_that_failed_with_%s_from_broken_links", (exitCode) => {
    const { asked, stdout } = report(exitCode, "17");
    expect(asked).toBe("");
    expect(stdout).toContain("::warning title=Link check::The link checker itself failed");
  });
});
