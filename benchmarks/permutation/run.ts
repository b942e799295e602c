import { rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { runScript } from "../peers/run-script.ts";

/** Who builds, by the names in the table. */
export const builders = { "lance-loader": "build.ts", "Python LanceDB": "build.py" } as const;

/** What a build took. */
export interface BuildOutput {
  /** From opening the table to the stored permutation. */
  readonly seconds: number;
  /** The most memory that the process had. */
  readonly peakBytes: number;
  /** Rows of the stored permutation. */
  readonly rows: number;
  /** The machine's load average when the build began. */
  readonly load: number;
}

/** Builds once in a process of its own, so that its memory is its own. */
export async function runBuilder(
  builder: keyof typeof builders,
  database: string,
  rows: number,
): Promise<BuildOutput> {
  const stored = join(database, "split.lance");
  rmSync(stored, { recursive: true, force: true });
  const load = loadavg()[0] ?? Number.NaN;
  const output = await runScript<Omit<BuildOutput, "load">>(join(import.meta.dirname, builders[builder]), {
    database,
  });
  rmSync(stored, { recursive: true, force: true });
  if (output.rows === rows) return { ...output, load };
  throw new Error(`${builder} stored ${output.rows} of ${rows} rows.`);
}
