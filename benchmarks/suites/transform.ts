import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { makeVector, Table } from "apache-arrow";
import { describe, environment } from "../report/environment.ts";
import { format, table } from "../report/markdown.ts";
import type { Report } from "../report/report.ts";
import { median } from "../report/statistics.ts";
import { type Suite, wholeNumber } from "../suite.ts";
import { bareThreads, batchRows, type Contestant, withLibrary } from "../transform/contestants.ts";
import { type Measured, measure } from "../transform/measure.ts";

/** What a second thread has to gain, of what it gains without the library. */
const goal = 0.85;

const contestants: Readonly<Record<string, (path: string, rows: number) => Promise<Contestant>>> = {
  "1 bare thread": (_, rows) => bareThreads(rows, 1),
  "2 bare threads": (_, rows) => bareThreads(rows, 2),
  "lance-loader, module, 1 thread": (path) => withLibrary(path, 1),
  "lance-loader, module, 2 threads": (path) => withLibrary(path, 2),
  "lance-loader, function": (path) => withLibrary(path, "main"),
};

type Runs = Readonly<Record<string, readonly Measured[]>>;

/** A CPU-bound transform on one and two threads, with and without the library, by turns in one process. */
export const transform: Suite = {
  options: {
    rows: { type: "string", default: "8192", help: "rows of the table (8192)" },
    rounds: { type: "string", default: "5", help: "epochs of each (5)" },
  },
  run: async (values): Promise<Report> => {
    const [rows, rounds] = [wholeNumber(values, "rows"), wholeNumber(values, "rounds")];
    const [load = 0] = loadavg();
    const folder = mkdtempSync(join(tmpdir(), "lance-loader-bench-"));
    try {
      const id = makeVector(Int32Array.from({ length: rows }, (_, row) => row));
      await (await connect(folder)).createTable("rows", new Table({ id }));
      const runs = await runRounds(join(folder, "rows.lance"), rows, rounds);
      return report(runs, rows, load);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function runRounds(path: string, rows: number, rounds: number): Promise<Runs> {
  const runs: Record<string, Measured[]> = {};
  for (const name of Object.keys(contestants)) runs[name] = [];
  const entered = await Promise.all(
    Object.entries(contestants).map(async ([name, enter]) => [name, await enter(path, rows)] as const),
  );
  // The first round starts threads and compiles: it is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, contestant] of entered) {
      const measured = await measure(contestant);
      if (round > 0) runs[name]?.push(measured);
    }
  }
  await Promise.all(entered.map(([, contestant]) => contestant.close()));
  const sums = new Set(Object.values(runs).flatMap((measured) => measured.map(({ sum }) => sum)));
  if (sums.size > 1) throw new Error(`The contestants came to different sums: ${[...sums].join(", ")}.`);
  return runs;
}

function report(runs: Runs, rows: number, load: number): Report {
  const middle = (name: string, value: (measured: Measured) => number) =>
    median((runs[name] ?? []).map(value));
  const seconds = (name: string) => middle(name, (measured) => measured.seconds);
  const bare = seconds("1 bare thread") / seconds("2 bare threads");
  const ours = seconds("lance-loader, module, 1 thread") / seconds("lance-loader, module, 2 threads");
  const where = environment();
  const lines = Object.keys(runs).map((name) => [
    name,
    format(rows / seconds(name)),
    format(middle(name, ({ cpu }) => cpu)),
    ...(["p50", "p99", "most"] as const).map((key) => format(middle(name, ({ delay }) => delay[key]))),
    ...(["raw", "transformed"] as const).map((key) => {
      const mean = middle(name, ({ depths }) => depths?.[key].mean ?? Number.NaN);
      const most = middle(name, ({ depths }) => depths?.[key].most ?? Number.NaN);
      return Number.isNaN(mean) ? "" : `${format(mean)} / ${format(most)}`;
    }),
  ]);
  const head = [
    "",
    "rows/s",
    "CPU, s",
    "delay p50, ms",
    "p99, ms",
    "most, ms",
    "raw rows",
    "transformed rows",
  ];
  const markdown = `# A CPU-bound transform

${describe(where)}
${format(rows)} rows in batches of ${batchRows}, the same function everywhere, medians of ${Object.values(runs)[0]?.length ?? 0} epochs by turns; load average ${format(load)} at the start.
*Delay* is how much later than due timers of the main thread came, at a resolution of 1 ms. *Rows*: mean / most of what waited in a queue when a batch came.

${table(head, lines)}

A second thread gains ${format(bare)}-fold without the library, ${format(ours)}-fold with it: ${format(ours / bare)} of that (goal: at least ${goal}).`;
  const data = { environment: where, rows, batchRows, load, runs, gain: { bare, ours, ratio: ours / bare } };
  return { name: "transform", markdown, data };
}
