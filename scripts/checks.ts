import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cargo } from "./cargo.ts";
import { node } from "./node.ts";
import { Failure } from "./process.mjs";
import { answerOf } from "./setup/tools.ts";
import { type Tally, tallyOfCargo, tallyOfExit, tallyOfVitest } from "./tally.ts";

const biomeCli = "node_modules/@biomejs/biome/bin/biome";

/** Biome's rules and format over everything that is not Rust. */
export async function biome(fix: boolean): Promise<Tally> {
  return tallyOfExit(await node([biomeCli, "check", ...(fix ? ["--write"] : ["--error-on-warnings"])]));
}

/** rustfmt over all crates. */
export async function rustfmt(fix: boolean): Promise<Tally> {
  if (answerOf("cargo", ["fmt", "--version"]) === undefined) {
    throw new Failure("rustfmt is missing. Run `rustup component add rustfmt`.");
  }
  return tallyOfExit(await cargo(["fmt", "--all", ...(fix ? [] : ["--check"])]));
}

/**
 * Clippy over all targets, warnings denied.
 *
 * `cargo clippy` checks every dependency anew before it lints, since it shares no output with a build: that is many minutes of
 * `lance`. As the wrapper of the workspace's own crates in a plain build, clippy uses the dependencies that are compiled.
 */
export async function clippy(): Promise<Tally> {
  if (answerOf("clippy-driver", ["--version"]) === undefined) {
    throw new Failure("Clippy is missing. Run `rustup component add clippy`.");
  }
  const env = {
    RUSTC_WORKSPACE_WRAPPER: "clippy-driver",
    CLIPPY_ARGS: "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
  };
  return tallyOfExit(
    await cargo(["build", "--release", "--workspace", "--all-targets", "--keep-going"], { env }),
  );
}

/** The types of the library, its tests, its examples and its scripts. */
export async function types(): Promise<Tally> {
  return tallyOfExit(await node(["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"]));
}

/** All Rust tests, or those that the arguments of `cargo test` select. */
export async function rustTests(args: readonly string[]): Promise<Tally> {
  let output = "";
  const code = await cargo(["test", "--release", "--workspace", "--no-fail-fast", ...args], {
    onOutput: (chunk) => {
      output += chunk;
    },
  });
  return tallyOfCargo(output, code);
}

/** All TypeScript tests, or those that the arguments of `vitest run` select. */
export async function typeScriptTests(args: readonly string[]): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), "lance-loader-report-"));
  const report = join(folder, "vitest.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await node(["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args]);
    return tallyOfVitest(existsSync(report) ? readFileSync(report, "utf8") : undefined, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
