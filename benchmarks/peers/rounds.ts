import { loadavg } from "node:os";
import type { Job } from "../loaders/job.ts";
import { format } from "../report/markdown.ts";
import { warm } from "../workloads/create.ts";
import type { StoredWorkload } from "../workloads/workload.ts";
import { checkEpoch } from "./check.ts";
import type { Contestant } from "./contestant.ts";
import { type Line, type Run, runOf } from "./line.ts";
import type { Settings } from "./report.ts";
import { runLoader } from "./run-loader.ts";

/** Epochs of a run of which only the later ones count. */
const laterEpochs = 4;

/**
 * Measures the contestants on a workload, interleaved: one run of each, then the next round. A machine that slows down for a while
 * slows all of them.
 */
export async function runRounds(
  workload: StoredWorkload,
  contestants: readonly Contestant[],
  { rounds, batchSize }: Settings,
): Promise<Line[]> {
  const present = contestants.filter(({ workloads }) => workloads?.includes(workload.name) ?? true);
  const runs = new Map<Contestant, Run[]>(present.map((contestant) => [contestant, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const [contestant, done] of runs) {
      const run = await runOnce(workload, contestant, batchSize);
      done.push(run);
      const where = `${workload.name} ${round}/${rounds} ${contestant.name}`;
      console.error(`${where.padEnd(42)} ${format(run.rowsPerSecond).padStart(10)} rows/s`);
    }
  }
  return [...runs].map(([{ name, title, kind, decoded = false }, done]) => {
    return { workload: workload.name, contestant: name, title, kind, decoded, runs: done };
  });
}

async function runOnce(workload: StoredWorkload, contestant: Contestant, batchSize: number): Promise<Run> {
  const job: Job = {
    table: workload.table,
    arrow: workload.arrow,
    rows: workload.rows,
    batchSize,
    epochs: contestant.part === "later" ? laterEpochs : 1,
    decoded: contestant.decoded ?? false,
    options: contestant.options?.(workload) ?? {},
  };
  warm(workload);
  const [load = 0] = loadavg();
  const output = await runLoader(contestant.script, job);
  for (const epoch of output.epochs) checkEpoch(`${contestant.name} on ${workload.name}`, workload, epoch);
  return runOf(contestant, output, batchSize, load);
}
