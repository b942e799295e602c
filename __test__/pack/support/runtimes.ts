import { chmodSync } from "node:fs";
import { join } from "node:path";
import { ensurePackages } from "../../../scripts/packages.ts";

/** Whether the runtimes that the package is tried with run here. */
export const hasRuntimes = process.platform === "linux" && process.arch === "x64";

/** The programs that the package is tried with. */
export interface Runtimes {
  /** Runtimes by their names. Node.js 24 is the one that runs the tests. */
  readonly programs: Readonly<Record<"Node.js 22" | "Node.js 24" | "Node.js 26" | "Bun" | "Deno", string>>;
  /** Package managers, as scripts of Node.js. */
  readonly managers: Readonly<Record<"pnpm" | "yarn", string>>;
}

/** Installs them, once for a checkout. */
export async function installRuntimes(): Promise<Runtimes> {
  const modules = await ensurePackages("__test__/pack/runtimes");
  const programs = {
    "Node.js 22": join(modules, "node-22", "bin", "node"),
    "Node.js 24": process.execPath,
    "Node.js 26": join(modules, "node-26", "bin", "node"),
    Bun: join(modules, "@oven", "bun-linux-x64", "bin", "bun"),
    Deno: join(modules, "@deno", "linux-x64-glibc", "deno"),
  };
  const managers = {
    pnpm: join(modules, "pnpm", "bin", "pnpm.cjs"),
    yarn: join(modules, "yarn", "bin", "yarn.js"),
  };
  // Deno's own script would do that.
  chmodSync(programs.Deno, 0o755);
  return { programs, managers };
}
