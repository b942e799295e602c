// The entry of every npm task: `node scripts/run.mjs <task> [arguments]`.
//
// It runs on whatever Node is at hand (18 or newer), installs the packages of the lockfile when they are not there, and hands
// over to the Node in node_modules by its full path. A shell may still know an older `node` by heart, so that nothing after this
// file looks one up.
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exitWith, Failure, run, say } from "./process.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === "win32";
const node = join(root, "node_modules", "node", "bin", windows ? "node.exe" : "node");

await exitWith(async () => {
  if (Number.parseInt(process.versions.node, 10) < 18) {
    throw new Failure(
      `Node ${process.versions.node} is too old to set up. Install Node 22.12 or newer: https://nodejs.org`,
    );
  }
  if (!packagesMatchLock() || !existsSync(node)) await installPackages();
  return run(node, [join(root, "scripts", "tasks.ts"), ...process.argv.slice(2)], { cwd: root });
});

/** Whether every package of the lockfile is installed at its version. Optional ones belong to other platforms. */
function packagesMatchLock() {
  const wanted = packagesOf("package-lock.json");
  const installed = packagesOf(join("node_modules", ".package-lock.json"));
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    const there = installed[path];
    return path === "" || (there === undefined ? optional === true : there.version === version);
  });
}

/**
 * @param {string} lockfile
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function packagesOf(lockfile) {
  const path = join(root, lockfile);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {};
}

async function installPackages() {
  say("installing npm packages");
  // npm itself must not run on the Node that it is about to replace.
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== join(root, "node_modules", ".bin"))
    .join(delimiter);
  // The install script of onnxruntime-node fetches GPU libraries from elsewhere; what runs on a CPU is in the package.
  const env = { ...process.env, PATH: path, ONNXRUNTIME_NODE_INSTALL: "skip" };
  // Not `npm ci`: it refuses a lockfile that lacks an optional package of another platform, and npm itself leaves those out.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const code = await run("npm", args, { cwd: root, env, shell: windows });
  if (code !== 0) {
    throw new Failure(
      "`npm install` failed (see above). Check the network and the registry, then run the command again.",
    );
  }
  if (!existsSync(node)) {
    throw new Failure(
      "Node 24 was not installed, since npm ran no install scripts: `npm install --ignore-scripts=false` does.",
    );
  }
}
