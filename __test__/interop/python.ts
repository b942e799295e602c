import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir, platform } from "node:os";
import { join } from "node:path";

const here = import.meta.dirname;
const requirements = join(here, "requirements.txt");
const folder = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "lance-loader", "interop");
const stamp = join(folder, "installed.txt");
const windows = platform() === "win32";
const python = windows ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");

/** Makes the virtual environment of `requirements.txt`, once, and again when that file has changed. */
export function ensurePython(): void {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === readFileSync(requirements, "utf8")) return;
  mkdirSync(folder, { recursive: true });
  if (!existsSync(python)) run(windows ? "python" : "python3", ["-m", "venv", folder]);
  run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
  copyFileSync(requirements, stamp);
}

/** Asks Python LanceDB: named requests to `peer.py`, all in one process, and their answers. */
export function askPython(
  database: string,
  requests: Readonly<Record<string, object>>,
): Record<string, unknown> {
  return JSON.parse(run(python, [join(here, "peer.py")], JSON.stringify({ database, requests })));
}

function run(program: string, args: readonly string[], input = ""): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", input });
  if (status === 0) return stdout;
  throw new Error(
    `${program} ${args.join(" ")} failed; Python 3.10 or newer with its module venv is needed: ${error ?? stderr}`,
  );
}
