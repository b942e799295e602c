import { dataFolder } from "../folders.ts";
import type { Contestant } from "../peers/contestant.ts";
import { contestants } from "../peers/contestants.ts";
import { pythonVersions } from "../peers/python.ts";
import { type Measured, reportOf } from "../peers/report.ts";
import { runRounds } from "../peers/rounds.ts";
import { environment } from "../report/environment.ts";
import type { Report } from "../report/report.ts";
import { choice, type Suite, type SuiteValues, wholeNumber } from "../suite.ts";
import { createWorkload } from "../workloads/create.ts";
import { workloadOf, workloads } from "../workloads/workloads.ts";

const workloadNames = workloads.map(({ name }) => name);
const names = contestants.map(({ name }) => name);

/** This library and what could be used instead, interleaved, on the same files. */
export const peers: Suite = {
  options: {
    rounds: { type: "string", default: "5", help: "runs of each loader (5)" },
    workloads: { type: "string", help: `some of ${workloadNames.join(",")} (all)` },
    loaders: { type: "string", help: `some of ${names.join(",")} (all)` },
    rows: { type: "string", help: "rows of each table, to try things out (the workload's own)" },
    batch: { type: "string", default: "256", help: "rows of a batch (256)" },
  },
  run: (values) => comparePeers(values),
};

/** What `peers` does, with the contestants that `accepts` wants. */
export async function comparePeers(
  values: SuiteValues,
  accepts: (contestant: Contestant) => boolean = () => true,
): Promise<Report> {
  const chosen = choice(values, "loaders", names);
  const present = contestants.filter((contestant) => chosen.includes(contestant.name) && accepts(contestant));
  const settings = { rounds: wholeNumber(values, "rounds"), batchSize: wholeNumber(values, "batch") };
  const rows = values["rows"] === undefined ? undefined : wholeNumber(values, "rows");
  const measured: Measured[] = [];
  for (const name of choice(values, "workloads", workloadNames)) {
    const workload = await createWorkload(dataFolder, workloadOf(name, rows));
    measured.push({ workload, lines: await runRounds(workload, present, settings) });
  }
  const usesPython = present.some(({ script }) => script.endsWith(".py"));
  const where = environment(usesPython ? pythonVersions() : {});
  return reportOf(measured, settings, where, rows === undefined);
}
