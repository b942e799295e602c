import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir, platform } from "node:os";
import { join } from "node:path";

const requirements = join(import.meta.dirname, "requirements.txt");
const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
const folder = join(cache, "lance-loader", "peers");
const stamp = join(folder, "installed.txt");
const windows = platform() === "win32";
const python = windows ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");

/**
 * The Python of a virtual environment with the packages of `requirements.txt`, made at the first call, some gigabytes, and again when
 * that file has changed.
 */
export function ensurePython(): string {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === readFileSync(requirements, "utf8")) return python;
  console.error(`installing the Python peers into ${folder} (once, some gigabytes)`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(python)) {
    command(
      windows ? "python" : "python3",
      ["-m", "venv", folder],
      "Python 3.10 or newer with its module venv is needed: `apt-get install python3-venv` or https://www.python.org",
    );
  }
  command(
    python,
    ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements],
    "the packages could not be installed (see above)",
  );
  copyFileSync(requirements, stamp);
  return python;
}

/** Versions of the packages in `requirements.txt`, and of Python. */
export function pythonVersions(): Record<string, string> {
  const lines = readFileSync(requirements, "utf8").split("\n");
  const pinned = lines.flatMap((line) => /^([\w-]+)==(\S+)/.exec(line)?.slice(1) ?? []);
  const versions: Record<string, string> = {
    python: answer(["-c", "import platform; print(platform.python_version())"]),
  };
  for (let at = 0; at < pinned.length; at += 2) versions[`${pinned[at]} (PyPI)`] = pinned[at + 1] as string;
  return versions;
}

function answer(args: readonly string[]): string {
  return spawnSync(ensurePython(), args, { encoding: "utf8" }).stdout.trim();
}

function command(program: string, args: readonly string[], failure: string): void {
  const { status } = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${failure}`);
}
