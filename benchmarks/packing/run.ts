import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "../folders.ts";
import { ensurePython } from "../peers/python.ts";

/** What a packer is asked to do. */
export interface PackingJob {
  readonly table: string;
  readonly length: number;
  /** Blocks of an epoch, without padding. */
  readonly blocks: number;
  readonly mode: "concat" | "bestFit";
  /** After so many seconds it may stop. */
  readonly seconds: number;
}

/** What it did. */
export interface PackingOutput {
  /** Tokens that were handed over. */
  readonly tokens: number;
  /** From opening the table on. */
  readonly seconds: number;
  /** Real tokens over all. */
  readonly utilization?: number;
}

/** Runs a script of this folder in a process of its own. Fails with what it wrote to stderr. */
export function runPacker(script: string, job: PackingJob): Promise<PackingOutput> {
  const program = script.endsWith(".py") ? ensurePython() : process.execPath;
  const child = spawn(program, [join(import.meta.dirname, script), JSON.stringify(job)], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`${script} ended with exit code ${code}:\n${errors.trim()}`));
    });
  });
}
