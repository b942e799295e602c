import { format, mebibytes, table } from "../report/markdown.ts";
import type { StoredWorkload } from "../workloads/workload.ts";
import type { Goal } from "./goals.ts";
import { type Line, medianOf } from "./line.ts";

const head = [
  "loader",
  "rows/s",
  "min",
  "max",
  "lance-loader is",
  "mix",
  "first batch, s",
  "CPU, s",
  "peak MiB",
  "of that added",
];

/** The lines of one workload as a section with a table. */
export function workloadSection(
  { name, rows, description, bytes }: StoredWorkload,
  lines: readonly Line[],
): string {
  const title = `## ${name}: ${format(rows)} rows of ${description} (${mebibytes(bytes)} MiB)`;
  return [
    title,
    "",
    table(
      head,
      lines.map((line) => cells(line, lines)),
    ),
  ].join("\n");
}

/** What was aimed at, and what was found. */
export function goalsSection(goals: readonly Goal[]): string {
  const rows = goals.map(({ workload, what, wanted, found, met }) => {
    return [`${workload}: ${what}`, wanted, format(found), met ? "yes" : "no"];
  });
  return ["## Goals", "", table(["ratio of medians", "wanted", "found", "met"], rows)].join("\n");
}

function cells(line: Line, lines: readonly Line[]): string[] {
  const rates = line.runs.map((run) => run.rowsPerSecond);
  return [
    line.title,
    format(medianOf(line, "rowsPerSecond")),
    format(Math.min(...rates)),
    format(Math.max(...rates)),
    timesFaster(line, lines),
    medianOf(line, "mix").toFixed(2),
    format(medianOf(line, "firstBatchSeconds")),
    format(medianOf(line, "cpuSeconds")),
    mebibytes(medianOf(line, "peakBytes")),
    mebibytes(medianOf(line, "addedBytes")),
  ];
}

/** How many times as fast the plain use of this library is, with text in the same form where there is text. */
function timesFaster(line: Line, lines: readonly Line[]): string {
  const find = (name: string) => lines.find(({ contestant }) => contestant === name);
  const ours = (line.decoded ? find("ours-decoded") : undefined) ?? find("ours");
  if (ours === undefined || ours === line) return "";
  return `${format(medianOf(ours, "rowsPerSecond") / medianOf(line, "rowsPerSecond"))}×`;
}
