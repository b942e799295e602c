import { spawn } from "node:child_process";
import { basename } from "node:path";
import { root } from "../folders.ts";
import { ensurePython } from "./python.ts";

const timeout = 20 * 60_000;

/**
 * Runs a script, TypeScript or Python, in a process of its own, with nothing from the network.
 *
 * @param path - the script; it gets the job as JSON and prints what it found as JSON.
 * @throws Error with what the script wrote to stderr, where it does not end with exit code 0.
 */
export function runScript<Output>(path: string, job: unknown): Promise<Output> {
  const program = path.endsWith(".py") ? ensurePython() : process.execPath;
  const child = spawn(program, [path, JSON.stringify(job)], {
    cwd: root,
    env: { ...process.env, HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1", PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
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
    child.on("close", (code, signal) => {
      if (code === 0) resolve(JSON.parse(output));
      else
        reject(new Error(`${basename(path)} ended with ${signal ?? `exit code ${code}`}:\n${errors.trim()}`));
    });
  });
}
