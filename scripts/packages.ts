import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure, run, say } from "./process.mjs";
import { root } from "./stamp.ts";

/**
 * Installs packages that a checkout needs for one purpose only, as the lockfile of their own says, unless they are there. None of them runs a script.
 *
 * @param project - the folder of their package.json and package-lock.json, in the checkout.
 * @returns the folder that they are in.
 */
export async function ensurePackages(project: string): Promise<string> {
  const folder = join(root, "node_modules", ".cache", "lance-loader", project.replaceAll("/", "-"));
  const [wanted, installed] = [resolve(root, project), folder].map((path) =>
    textOf(join(path, "package-lock.json")),
  );
  const modules = join(folder, "node_modules");
  if (wanted === installed && existsSync(modules)) return modules;
  say(`installing the packages of ${project}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    cpSync(join(root, project, name), join(folder, name));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const code = await run("npm", args, {
    cwd: folder,
    shell: process.platform === "win32",
    onOutput: () => {},
  });
  if (code === 0) return modules;
  rmSync(folder, { recursive: true, force: true });
  throw new Failure(`the packages of ${project} were not installed (see above)`);
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
