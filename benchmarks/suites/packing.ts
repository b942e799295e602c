import { dataFolder } from "../folders.ts";
import { createDocuments } from "../packing/documents.ts";
import { type PackingJob, type PackingOutput, runPacker } from "../packing/run.ts";
import { pythonVersions } from "../peers/python.ts";
import { describe, environment } from "../report/environment.ts";
import { format, table } from "../report/markdown.ts";
import { type Suite, wholeNumber } from "../suite.ts";

type Mode = PackingJob["mode"];

const contestants: readonly { name: string; script: string; mode: Mode }[] = [
  { name: "lance-loader, concat", script: "lance-loader.ts", mode: "concat" },
  { name: "lance-loader, best-fit", script: "lance-loader.ts", mode: "bestFit" },
  { name: "Python LanceDB, pack_sequences", script: "lancedb_packing.py", mode: "concat" },
  { name: "a scan by pylance, nothing packed", script: "lance_scan.py", mode: "concat" },
];

/** Tokens per second of packing, beside the peer's and a plain scan's: each by turns in a process of its own, the median of the rounds. */
export const packing: Suite = {
  options: {
    documents: { type: "string", default: "1000000", help: "documents of the table (1,000,000)" },
    rounds: { type: "string", default: "3", help: "runs of each (3)" },
    length: { type: "string", default: "2048", help: "tokens of a block (2048)" },
    seconds: { type: "string", default: "20", help: "seconds after which the peer may stop (20)" },
  },
  run: async (values) => {
    const stored = await createDocuments(dataFolder, wholeNumber(values, "documents"));
    const length = wholeNumber(values, "length");
    const all = stored.tokens + stored.documents;
    const blocks = Math.max(4, Math.floor(all / length / 4) * 4);
    const job = { table: stored.table, length, blocks, seconds: wholeNumber(values, "seconds") };
    const runs = await runRounds(wholeNumber(values, "rounds"), job);
    const where = environment(pythonVersions());
    const about = `${format(stored.documents)} documents of a log-normal length (median 300, ${format(stored.tokens)} tokens), blocks of ${length}, shuffled.`;
    const best = runs.map(({ name, outputs }) => ({ name, ...middle(outputs) }));
    const scan = best.at(-1)?.speed ?? Number.NaN;
    const rows = best.map(({ name, speed, utilization }) => [
      name,
      format(speed / 1e6),
      format(speed / scan),
      utilization === undefined ? "" : format(100 * utilization),
    ]);
    const head = ["", "million tokens/s", "of the scan", "utilization %"];
    const markdown = `# Sequence packing\n\n${describe(where)}\n${about}\n\n${table(head, rows)}`;
    return { name: "packing", markdown, data: { environment: where, ...stored, length, blocks, runs } };
  },
};

async function runRounds(
  rounds: number,
  job: Omit<PackingJob, "mode">,
): Promise<{ name: string; outputs: PackingOutput[] }[]> {
  const runs = contestants.map(({ name }) => ({ name, outputs: [] as PackingOutput[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [place, { script, mode }] of contestants.entries())
      runs[place]?.outputs.push(await runPacker(script, { ...job, mode }));
  }
  return runs;
}

/** The run of the median speed. */
function middle(outputs: readonly PackingOutput[]): { speed: number; utilization: number | undefined } {
  const sorted = outputs
    .map(({ tokens, seconds, utilization }) => ({ speed: tokens / seconds, utilization }))
    .toSorted((one, other) => one.speed - other.speed);
  return sorted[Math.floor(sorted.length / 2)] ?? { speed: Number.NaN, utilization: undefined };
}
