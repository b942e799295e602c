/// <reference lib="dom" />
// Runs in the page, not in Node: draws the charts of a report, and draws them again when the colours change.
import type uPlot from "uplot";
import type { ReportData } from "./data.ts";

type Plot = typeof uPlot;
const { uPlot: Chart } = globalThis as unknown as { readonly uPlot: Plot };
const data = JSON.parse(document.querySelector("#data")?.textContent ?? "") as ReportData;
const whole = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const height = 280;

/** A chart's place, what it shows, and how. */
interface Figure {
  readonly id: string;
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Line[];
  readonly values: readonly (readonly (number | null)[])[];
  /** Names of places on the x axis, where it counts things. */
  readonly names?: readonly string[];
}

interface Axis {
  readonly label: string;
  readonly log?: 2 | 10;
  readonly range?: readonly [number, number];
  readonly percent?: boolean;
  /** Whether it counts things one by one. */
  readonly counts?: boolean;
}

interface Line {
  readonly label: string;
  readonly color: string;
  readonly shape: "line" | "dots" | "bars" | "area";
}

/** Steps between the ticks of an axis that counts. */
const counting = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));
/** The most points of a line that are marked. */
const markedPoints = 70;
const palette = ["--one", "--two", "--three", "--four", "--five", "--six"];

function figures(): Figure[] {
  return [splits(), fragments(), ...mixing(), ...cost(), speed(), waiting(), ...packing()];
}

function splits(): Figure {
  const series: Line[] = [{ label: "rows", color: "--one", shape: "bars" }];
  const rows = data.splits.map((split) => split.rows);
  return {
    ...bars("splits", "rows of each split", "split", series, [rows]),
    names: data.splits.map((split) => split.name),
  };
}

function fragments(): Figure {
  // Stacked by drawing what is higher first.
  const series: Line[] = [
    { label: "live and deleted", color: "--two", shape: "bars" },
    { label: "live", color: "--three", shape: "bars" },
  ];
  const values = [
    data.fragments.map(({ rows, deleted }) => rows + deleted),
    data.fragments.map(({ rows }) => rows),
  ];
  return bars("fragments", "rows of each fragment", "fragment", series, values);
}

function bars(id: string, title: string, label: string, series: readonly Line[], values: number[][]): Figure {
  const count = values[0]?.length ?? 0;
  const most = Math.max(1, ...(values[0] ?? []));
  return {
    id,
    title,
    x: { label, range: [-0.7, Math.max(1, count) - 0.3], counts: true },
    y: { label: "rows", range: [0, most * 1.08] },
    series,
    values: [Array.from({ length: count }, (_, at) => at), ...values],
  };
}

function mixing(): Figure[] {
  const { whole: all, beginning, rows } = data.mixing;
  const dots = (id: string, title: string, { positions, places }: typeof all): Figure => ({
    id,
    title,
    x: { label: "position in the epoch" },
    y: { label: "place in the table", range: [0, rows] },
    series: [{ label: "place in the table", color: "--one", shape: "dots" }],
    values: [positions, places],
  });
  return [
    dots("whole-epoch", "samples from all over the epoch", all),
    dots("beginning", "the first samples", beginning),
  ];
}

function cost(): Figure[] {
  const { windows, clumps } = data.cost;
  const series = clumps.map(({ clump }, at): Line => {
    const label = clump === 1 ? "no clumps" : `clumps of ${clump}`;
    return { label, color: palette[at % palette.length] ?? "--one", shape: "line" };
  });
  const x: Axis = { label: "rows of a window", log: 2 };
  const requests = clumps.map((line) => line.requestsPer1000Rows);
  const amplification = clumps.map((line) => line.readAmplification);
  return [
    {
      id: "requests",
      title: "requests for 1,000 rows",
      x,
      y: { label: "requests", log: 10 },
      series,
      values: [windows, ...requests],
    },
    {
      id: "amplification",
      title: "bytes read for each byte wanted",
      x,
      y: { label: "read / wanted", range: [0, Math.max(...amplification.flat()) * 1.1] },
      series,
      values: [windows, ...amplification],
    },
  ];
}

function speed(): Figure {
  const { stretches } = data.throughput;
  return {
    id: "speed",
    title: "rows a second",
    x: { label: "seconds" },
    y: { label: "rows/s", range: [0, Math.max(1, ...stretches.map((one) => one.rowsPerSecond)) * 1.1] },
    series: [{ label: "rows/s", color: "--one", shape: "line" }],
    values: [stretches.map(({ at }) => at), stretches.map(({ rowsPerSecond }) => rowsPerSecond)],
  };
}

function waiting(): Figure {
  const { stretches } = data.throughput;
  const values = [
    stretches.map((one) => one.reading + one.transforming + one.consumer),
    stretches.map((one) => one.reading + one.transforming),
    stretches.map((one) => one.reading),
  ];
  return {
    id: "waiting",
    title: "where the time goes",
    x: { label: "seconds" },
    y: { label: "part of the time", range: [0, 1], percent: true },
    series: [
      { label: "consumer", color: "--three", shape: "area" },
      { label: "transforming", color: "--two", shape: "area" },
      { label: "reading", color: "--one", shape: "area" },
    ],
    values: [stretches.map(({ at }) => at), ...values],
  };
}

function packing(): Figure[] {
  if (data.packing.length === 0) return [];
  const documents = [...new Set(data.packing.flatMap((mode) => mode.documents))].sort(
    (one, other) => one - other,
  );
  const lines = data.packing.map((mode) => {
    const found = new Map(mode.documents.map((count, at) => [count, mode.utilization[at] ?? null]));
    return documents.map((count) => found.get(count) ?? null);
  });
  const least = Math.min(...lines.flat().filter((value) => value !== null));
  return [
    {
      id: "utilization",
      title: "real tokens over all tokens",
      x: { label: "documents consumed" },
      y: {
        label: "utilization",
        range: [Math.max(0, least - (1 - least) * 0.2 - 0.005), 1.002],
        percent: true,
      },
      series: data.packing.map(({ mode }, at) => ({
        label: mode,
        color: palette[at] ?? "--one",
        shape: "line" as const,
      })),
      values: [documents, ...lines],
    },
  ];
}

function optionsOf(figure: Figure, color: (name: string) => string, width: number): uPlot.Options {
  const { x, y, names } = figure;
  const nameOf = (at: number) => names?.[at] ?? (names === undefined ? tickOf(at, x) : "");
  const told = (axis: Axis) => (_: uPlot, value: number | null) =>
    value === null ? "–" : axis.percent ? `${whole.format(value * 100)}%` : whole.format(value);
  return {
    title: figure.title,
    width,
    height,
    scales: { x: { time: false, ...scaleOf(x) }, y: scaleOf(y) },
    axes: [
      {
        ...axisOf(x, color),
        ...(x.counts && { incrs: [...counting] }),
        values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : nameOf(tick))),
      },
      { ...axisOf(y, color), size: 62, values: (_, ticks) => ticks.map((tick) => tickOf(tick, y)) },
    ],
    cursor: { drag: { x: true, y: false } },
    series: [
      { label: x.label, value: (_, at) => (at === null ? "–" : (names?.[at] ?? whole.format(at))) },
      ...figure.series.map((line) => ({
        ...seriesOf(line, color, (figure.values[0]?.length ?? 0) <= markedPoints),
        value: told(y),
        spanGaps: true,
      })),
    ],
  };
}

function tickOf(tick: number | null, axis: Axis): string {
  if (tick === null) return "";
  if (axis.percent) return `${whole.format(tick * 100)}%`;
  return axis.log === 2 && tick >= 1024 ? `${tick / 1024} Ki` : short.format(tick);
}

function scaleOf({ log, range }: Axis): uPlot.Scale {
  if (log !== undefined) return { distr: 3, log };
  return range === undefined ? {} : { range: [range[0], range[1]] };
}

function axisOf({ label }: Axis, color: (name: string) => string): uPlot.Axis {
  const line = { stroke: color("--grid"), width: 1 };
  const font = "12px system-ui, sans-serif";
  return { label, labelFont: font, font, labelSize: 22, stroke: color("--muted"), grid: line, ticks: line };
}

function seriesOf(
  { label, color: name, shape }: Line,
  color: (name: string) => string,
  marked: boolean,
): uPlot.Series {
  const stroke = color(name);
  if (shape === "dots")
    return { label, stroke, paths: () => null, points: { show: true, size: 3, fill: stroke, width: 0 } };
  if (shape === "line") return { label, stroke, width: 2, points: { show: marked, size: 5, fill: stroke } };
  const points = { show: false };
  if (shape === "area") return { label, stroke, fill: stroke, width: 1, points };
  const paths = Chart.paths.bars?.({ size: [0.7, 60] });
  return { label, stroke, fill: stroke, width: 0, points, ...(paths && { paths }) };
}

let drawn: uPlot[] = [];

function draw(): void {
  for (const chart of drawn) chart.destroy();
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  drawn = figures().flatMap((figure) => {
    const place = document.getElementById(figure.id);
    if (place === null) return [];
    const values = figure.values.map((column) => [...column]) as uPlot.AlignedData;
    return [new Chart(optionsOf(figure, color, place.clientWidth), values, place)];
  });
  document.documentElement.dataset["charts"] = String(drawn.length);
}

function fit(): void {
  for (const chart of drawn)
    chart.setSize({ width: chart.root.parentElement?.clientWidth ?? chart.width, height });
}

draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("resize", fit);
