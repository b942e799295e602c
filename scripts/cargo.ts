import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { run, say } from "./process.mjs";
import { digest, root } from "./stamp.ts";

/** Files and folders that the Rust build is made from. */
export const rustSources = [".cargo/config.toml", "build.rs", "Cargo.lock", "Cargo.toml", "crates"];

/**
 * Where cargo builds: `CARGO_TARGET_DIR`; in CI a folder of the user's cache, so that the next clean clone finds the heavy
 * dependencies compiled; else `target/` in the checkout.
 */
export function targetFolder(): string {
  const { CARGO_TARGET_DIR, CI, XDG_CACHE_HOME } = process.env;
  if (CARGO_TARGET_DIR) return resolve(root, CARGO_TARGET_DIR);
  if (!CI) return join(root, "target");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "lance-loader", "target");
}

/** How cargo is run. */
export interface CargoOptions {
  /** Variables beside this process's own. */
  readonly env?: NodeJS.ProcessEnv;
  /** Is given what cargo prints on stdout, which is still shown. */
  readonly onOutput?: (chunk: string) => void;
}

let claimed = false;

/**
 * Runs cargo in the target folder that all builds share. Without a terminal it is quiet, but for a sign of life every few minutes.
 *
 * @returns The exit code.
 */
export async function cargo(args: readonly string[], options: CargoOptions = {}): Promise<number> {
  if (!claimed) claimTargetFolder();
  claimed = true;
  const start = Date.now();
  const beat = setInterval(() => {
    say(`cargo ${args[0]} is at work for ${Math.round((Date.now() - start) / 60_000)} minutes`);
  }, 180_000);
  try {
    return await runCargo(args, options);
  } finally {
    clearInterval(beat);
  }
}

/**
 * Makes a target folder that several checkouts share safe for this one.
 *
 * Cargo tells a crate of the workspace by its path *inside* the workspace and by its files' times, so that after a build of another
 * checkout it may take that one's code for this one's. When the last build here was of other code, the workspace's own crates, not
 * their dependencies, are forgotten. `cargo clean --package` is no way to do so: it deletes by the names of targets, a test's too, and
 * takes a dependency of that name along.
 */
function claimTargetFolder(): void {
  const folder = targetFolder();
  if (folder === join(root, "target")) return;
  const owner = join(folder, "lance-loader.checkout");
  const [lastRoot, lastDigest] = existsSync(owner) ? readFileSync(owner, "utf8").split("\n") : [];
  const now = digest(rustSources);
  const fingerprints = join(folder, "release", ".fingerprint");
  if (lastRoot !== root && lastDigest !== now && existsSync(fingerprints)) {
    const own = readdirSync(fingerprints).filter((name) => name.startsWith("lance-loader-"));
    for (const name of own) rmSync(join(fingerprints, name), { recursive: true });
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(owner, `${root}\n${now}`);
}

function runCargo(args: readonly string[], { env, ...rest }: CargoOptions): Promise<number> {
  const quiet = process.stderr.isTTY ? {} : { CARGO_TERM_QUIET: "true" };
  return run("cargo", [...args], {
    cwd: root,
    env: { ...process.env, CARGO_TARGET_DIR: targetFolder(), ...quiet, ...env },
    ...rest,
  });
}
