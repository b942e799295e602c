import { describe, type Environment } from "../report/environment.ts";
import type { Report } from "../report/report.ts";
import type { StoredWorkload } from "../workloads/workload.ts";
import { goalsOf } from "./goals.ts";
import type { Line } from "./line.ts";
import { goalsSection, workloadSection } from "./markdown.ts";
import { plotLines } from "./plot.ts";

/** A workload and what was measured on it. */
export interface Measured {
  readonly workload: StoredWorkload;
  readonly lines: readonly Line[];
}

/** How it was measured. */
export interface Settings {
  readonly rounds: number;
  readonly batchSize: number;
}

/**
 * The report of the suite `peers`.
 *
 * @param withGoals - Whether the goals are part of it: ratios of tables of another size are not those that are aimed at.
 */
export function reportOf(
  measured: readonly Measured[],
  settings: Settings,
  environment: Environment,
  withGoals: boolean,
): Report {
  const lines = measured.flatMap((each) => each.lines);
  if (lines.length === 0) throw new Error("None of these loaders is measured on these workloads.");
  const goals = withGoals ? measured.flatMap((each) => goalsOf(each.lines)) : [];
  const sections = measured.map(({ workload, lines }) => workloadSection(workload, lines));
  if (goals.length > 0) sections.push(goalsSection(goals));
  const head = `# Loaders side by side\n\n${describe(environment)}\n${describeMethod(settings, lines)}`;
  const plots = measured.map(({ workload, lines }) => [workload.name, plotLines(workload, lines)] as const);
  return {
    name: "peers",
    markdown: [head, ...sections].join("\n\n"),
    plots: Object.fromEntries(plots),
    data: { environment, settings, lines, goals },
  };
}

function describeMethod({ rounds, batchSize }: Settings, lines: readonly Line[]): string {
  const loads = lines.flatMap((line) => line.runs.map((run) => run.load));
  const busy = `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
  return (
    `Medians of ${rounds}, interleaved; batches of ${batchSize}; every run checked. ` +
    `Load average of the machine when a run began: ${busy}.`
  );
}
