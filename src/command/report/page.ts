import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ReportData } from "./data.ts";
import { style } from "./style.ts";

/** A chart and what is said about it. */
interface Section {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
  /** Its charts, by the ids that the client draws into. */
  readonly charts: readonly string[];
}

/** A report as one page of HTML that needs nothing beside itself. */
export function pageOf(data: ReportData): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(data.title)}</title>
<style>${library("uPlot.min.css")}${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(data.title)}</h1>
<dl>${data.facts.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join("")}</dl>
</header>
<main>
${sectionsOf(data).map(section).join("\n")}
</main>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>
<script>${library("uPlot.iife.min.js")}</script>
<script type="module">${client()}</script>
</body>
</html>
`;
}

function section({ id, heading, text, charts }: Section): string {
  const boxes = charts.map((chart) => `<figure id="${chart}"></figure>`).join("");
  return `<section id="${id}"><h2>${escapeHtml(heading)}</h2><p>${escapeHtml(text)}</p><div class="charts">${boxes}</div></section>`;
}

function sectionsOf({ mixing, cost, throughput, packing }: ReportData): Section[] {
  const sections = [
    {
      id: "sizes",
      heading: "Splits and fragments",
      text: "Rows of each split, and of each fragment of the table: those that are live, and those that are deleted but still in its files.",
      charts: ["splits", "fragments"],
    },
    {
      id: "mixing",
      heading: "How well the shuffle mixes",
      text: `Each dot is a sample: when it comes in the epoch, and where its row lies in the table. Evenly spread dots are a full shuffle, a diagonal is storage order, and dashes are clumps. The correlation is ${mixing.correlation.toFixed(3)} (1 in storage order, 0 when mixed), and neighbours in the epoch lie ${(mixing.meanJump * 100).toFixed(1)}% of the table apart (33% when mixed).`,
      charts: ["whole-epoch", "beginning"],
    },
    {
      id: "cost",
      heading: "What clumps and windows cost",
      text: `Modelled, for a shuffled epoch whose rows are taken window by window: reads closer than ${Math.round(cost.joinedBytes / 1024)} KiB are one request, each of ${cost.columns} columns is read by itself. Left: requests for 1,000 rows. Right: bytes that are read for each byte that is wanted.`,
      charts: ["requests", "amplification"],
    },
    {
      id: "throughput",
      heading: "Throughput, and where it waits",
      text: `${throughput.rows.toLocaleString("en-US")} rows in ${throughput.seconds.toFixed(2)} s, the first batch after ${(throughput.firstBatchSeconds * 1000).toFixed(0)} ms. Fetched by ${throughput.fetch}. Below: the part of the time in which the loop waited for reads or for the transform (shared out by how busy each was), and in which the consumer had the batch.`,
      charts: ["speed", "waiting"],
    },
  ];
  if (packing.length === 0) return sections;
  const filled = packing.map(({ mode, utilization, blocks }) => {
    const last = utilization.at(-1) ?? 1;
    return `${mode} filled ${(last * 100).toFixed(2)}% of ${blocks.toLocaleString("en-US")} blocks`;
  });
  return [
    ...sections,
    {
      id: "packing",
      heading: "Packing",
      text: `Real tokens over all tokens, as documents are consumed: ${filled.join(", ")}. concat cuts documents at the ends of blocks, bestFit keeps them whole.`,
      charts: ["utilization"],
    },
  ];
}

/** A file of the plotting library. */
function library(name: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(`uplot/dist/${name}`)), "utf8");
}

/** What draws the charts: compiled beside this file. */
function client(): string {
  const text = readFileSync(new URL("./client.js", import.meta.url), "utf8");
  return text.replace(/^\/\/# sourceMappingURL=.*$/m, "");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
