import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** A temporary folder with fake programs, in which a script sees nothing else of the machine. */
export class Sandbox implements Disposable {
  /** The folder. */
  readonly folder = mkdtempSync(join(tmpdir(), "lance-loader-sandbox-"));

  /** Writes a file. */
  write(path: string, text: string): string {
    const full = join(this.folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  /** Writes a fake program, as lines of a shell script. */
  program(path: string, ...lines: string[]): void {
    chmodSync(this.write(path, ["#!/bin/sh", ...lines, ""].join("\n")), 0o755);
  }

  /** Runs a script on this Node. The fake programs in `bin` are all that its PATH has, but for what `path` adds. */
  node(args: readonly string[], options: { env?: NodeJS.ProcessEnv; path?: readonly string[] } = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: this.folder,
      encoding: "utf8",
      env: {
        HOME: this.folder,
        PATH: [join(this.folder, "bin"), ...(options.path ?? [])].join(delimiter),
        ...options.env,
      },
    });
    return { status, stdout, stderr };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
