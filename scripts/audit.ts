import { spawnSync } from "node:child_process";
import { run, say } from "./process.mjs";
import { answerOf } from "./setup/tools.ts";
import { root } from "./stamp.ts";
import { type Tally, tallyOfExit } from "./tally.ts";

/** Known vulnerabilities of what users install, and the licences and sources of all crates, each as far as this machine can tell. */
export async function audit(): Promise<Tally[]> {
  return [npmAudit(), await cargoDeny()].filter((tally) => tally !== undefined);
}

/** `undefined` where the registry answers no audits. */
function npmAudit(): Tally | undefined {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const told = vulnerabilitiesOf(stdout);
  if (told === undefined) {
    say("npm audit is left out: the registry does not answer it");
    return undefined;
  }
  say(told.length === 0 ? "npm audit found nothing" : `npm audit found ${told.join(", ")}`);
  return tallyOfExit(told.length);
}

/** The names of vulnerable packages in what `npm audit --json` prints, or `undefined` where it tells of none because it failed. */
export function vulnerabilitiesOf(output: string): string[] | undefined {
  try {
    const { vulnerabilities } = JSON.parse(output);
    return vulnerabilities === undefined ? undefined : Object.keys(vulnerabilities);
  } catch {
    return undefined;
  }
}

/**
 * deny.toml's rules, but for advisories, whose list lies on the network: the workflow on GitHub checks those. `undefined` without cargo-deny.
 */
async function cargoDeny(): Promise<Tally | undefined> {
  if (answerOf("cargo-deny", ["--version"]) === undefined) {
    say("cargo-deny is left out: it is not installed (`cargo install --locked cargo-deny`)");
    return undefined;
  }
  const args = ["--offline", "check", "bans", "licenses", "sources"];
  return tallyOfExit(await run("cargo-deny", args, { cwd: root }));
}
