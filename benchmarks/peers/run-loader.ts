import { join } from "node:path";
import { root } from "../folders.ts";
import type { Job, LoaderOutput } from "../loaders/job.ts";
import { runScript } from "./run-script.ts";

/** Runs a loader in a process of its own. Fails with what it wrote to stderr. */
export function runLoader(script: string, job: Job): Promise<LoaderOutput> {
  return runScript(join(root, "benchmarks", "loaders", script), job);
}
