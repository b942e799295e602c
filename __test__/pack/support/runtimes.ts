import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/snippets.ts";
import { npm } from "./packed.ts";

/** Whether the runtimes that the package is tried with run here. */
export const hasRuntimes = process.platform === "linux" && process.arch === "x64";

const project = join(root, "__test__", "pack", "runtimes");
const folder = join(root, "node_modules", ".cache", "lance-loader", "runtimes");
const inModules = (...path: string[]) => join(folder, "node_modules", ...path);

/** Programs by their names. Node.js 24 is the one that runs the tests. */
export const programs = {
  "Node.js 22": inModules("node-22", "bin", "node"),
  "Node.js 24": process.execPath,
  "Node.js 26": inModules("node-26", "bin", "node"),
  Bun: inModules("@oven", "bun-linux-x64", "bin", "bun"),
  Deno: inModules("@deno", "linux-x64-glibc", "deno"),
} as const;

/** Package managers, as scripts of Node.js. */
export const managers = {
  pnpm: inModules("pnpm", "bin", "pnpm.cjs"),
  yarn: inModules("yarn", "bin", "yarn.js"),
} as const;

/** Installs them as their lockfile says, once for a checkout. None of them runs a script of its own. */
export function installRuntimes(): void {
  const lock = "package-lock.json";
  const [wanted, there] = [join(project, lock), join(folder, lock)].map((path) =>
    existsSync(path) ? readFileSync(path, "utf8") : undefined,
  );
  if (wanted === there && existsSync(programs.Deno)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(project, "package.json"), join(folder, "package.json"));
  cpSync(join(project, lock), join(folder, lock));
  npm(folder, "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  // Its own script would do that.
  chmodSync(programs.Deno, 0o755);
}
