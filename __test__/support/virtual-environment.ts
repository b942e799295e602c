import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir, platform } from "node:os";
import { join } from "node:path";

const windows = platform() === "win32";

/** A folder of Python packages, kept between runs of the tests. */
export class VirtualEnvironment {
  readonly #folder: string;
  readonly #requirements: string;

  /**
   * @param name - of the folder.
   * @param requirements - the path of the list of packages, each with its version.
   */
  constructor(name: string, requirements: string) {
    const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
    this.#folder = join(cache, "lance-loader", name);
    this.#requirements = requirements;
  }

  /** The path of a program of the environment. */
  program(name: string): string {
    return windows ? join(this.#folder, "Scripts", `${name}.exe`) : join(this.#folder, "bin", name);
  }

  /** Installs the packages, once, and again when their list has changed. */
  ensure(): void {
    const stamp = join(this.#folder, "installed.txt");
    const requirements = this.#requirements;
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === readFileSync(requirements, "utf8")) return;
    mkdirSync(this.#folder, { recursive: true });
    const python = this.program("python");
    if (!existsSync(python)) runPython(windows ? "python" : "python3", ["-m", "venv", this.#folder]);
    runPython(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
    copyFileSync(requirements, stamp);
  }
}

/** Runs Python, gives it `input`, and answers what it prints. */
export function runPython(program: string, args: readonly string[], input = ""): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", input });
  if (status === 0) return stdout;
  throw new Error(
    `${program} ${args.join(" ")} failed; Python 3.10 or newer with its module venv is needed: ${error ?? stderr}`,
  );
}
