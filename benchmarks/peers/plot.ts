import { barChart } from "../report/bar-chart.ts";
import { format } from "../report/markdown.ts";
import type { StoredWorkload } from "../workloads/workload.ts";
import { type Line, medianOf } from "./line.ts";

/** The rows per second of every line of a workload, fastest first, as an SVG. */
export function plotLines({ name, rows, description }: StoredWorkload, lines: readonly Line[]): string {
  const bars = lines
    .map((line) => ({ line, value: medianOf(line, "rowsPerSecond") }))
    .sort((a, b) => b.value - a.value)
    .map(({ line, value }) => {
      const label = line.title.replaceAll(/[*`]/g, "");
      return { label, value, text: format(value), strong: line.kind === "ours" };
    });
  return barChart(`${name}, rows/s: ${format(rows)} rows of ${description}`, bars);
}
