import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "../folders.ts";
import type { Job, LoaderOutput } from "../loaders/job.ts";
import { ensurePython } from "./python.ts";

const loaders = join(root, "benchmarks", "loaders");
const timeout = 20 * 60_000;

/** Runs a loader in a process of its own, with nothing from the network. Fails with what it wrote to stderr. */
export function runLoader(script: string, job: Job): Promise<LoaderOutput> {
  const program = script.endsWith(".py") ? ensurePython() : process.execPath;
  const child = spawn(program, [join(loaders, script), JSON.stringify(job)], {
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
      else reject(new Error(`${script} ended with ${signal ?? `exit code ${code}`}:\n${errors.trim()}`));
    });
  });
}
