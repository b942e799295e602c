import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensurePython } from "../peers/python.ts";

/** A build to measure. */
export interface PermutationJob {
  readonly builder: "ours" | "python";
  /** The database with the table `keys`; the permutation becomes its table `split`. */
  readonly database: string;
}

/** What a build took. */
export interface PermutationTime {
  readonly builder: PermutationJob["builder"];
  readonly seconds: number;
  /** The most memory that the process had. */
  readonly peakBytes: number;
}

/** Builds in a process of its own, so that its memory is its own. */
export function buildInChild({ builder, database }: PermutationJob): PermutationTime {
  const [program, script] =
    builder === "ours" ? [process.execPath, "build.ts"] : [ensurePython(), "build.py"];
  const { status, stdout } = spawnSync(program, [join(import.meta.dirname, script), database], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${script} failed (see above).`);
  return { builder, ...(JSON.parse(stdout) as Omit<PermutationTime, "builder">) };
}
