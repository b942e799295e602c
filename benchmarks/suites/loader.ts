import { Bench, type Task } from "tinybench";
import { dataFolder } from "../folders.ts";
import { addCases } from "../loader/add-cases.ts";
import { loaderCases } from "../loader/cases.ts";
import { describe, environment } from "../report/environment.ts";
import { format, table } from "../report/markdown.ts";
import { type Suite, wholeNumber } from "../suite.ts";
import { createWorkload } from "../workloads/create.ts";
import { workloadOf } from "../workloads/workloads.ts";

/** What a batch costs on its way through the addon, on the rows of W1. */
export const loader: Suite = {
  options: {
    rows: {
      type: "string",
      default: "49152",
      help: "rows of the table (49,152, which all batch sizes divide)",
    },
    time: { type: "string", default: "1000", help: "milliseconds for each case (1000)" },
  },
  run: async (values) => {
    const stored = await createWorkload(dataFolder, workloadOf("W1", wholeNumber(values, "rows")));
    const bench = new Bench({ time: wholeNumber(values, "time"), warmupTime: 100, throws: true });
    addCases(bench, stored.table, loaderCases);
    await bench.run();
    const results = bench.tasks.map(resultOf);
    const where = environment();
    const head = ["", "a second", "rows/s", "µs each", "± %"];
    const rows = results.map(({ name, perSecond, rowsPerSecond, microseconds, error }) => {
      return [
        name,
        format(perSecond),
        rowsPerSecond === 0 ? "" : format(rowsPerSecond),
        format(microseconds),
        format(error),
      ];
    });
    const about = `${format(stored.rows)} rows of ${stored.description}; one process; mean and its 95% interval.`;
    const markdown = `# Through the addon\n\n${describe(where)}\n${about}\n\n${table(head, rows)}`;
    return { name: "loader", markdown, data: { environment: where, rows: stored.rows, results } };
  },
};

function resultOf(task: Task) {
  const { result } = task;
  if (result.state !== "completed") throw new Error(`${task.name} was not measured: ${result.state}.`);
  const perSecond = 1000 / result.period;
  const rows = loaderCases.find(({ name }) => name === task.name)?.batchSize ?? 0;
  return {
    name: task.name,
    perSecond,
    rowsPerSecond: rows * perSecond,
    microseconds: result.period * 1000,
    error: result.latency.rme,
  };
}
