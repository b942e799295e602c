import { dataFolder } from "../folders.ts";
import { createDocuments } from "../packing/documents.ts";
import { type PackingJob, type PackingOutput, runPacker } from "../packing/run.ts";
import { pythonVersions } from "../peers/python.ts";
import { describe, environment } from "../report/environment.ts";
import { format, table } from "../report/markdown.ts";
import { type Suite, wholeNumber } from "../suite.ts";

type Order = Pick<PackingJob, "mode" | "shuffle">;

interface Contestant extends Order {
  readonly name: string;
  readonly script: string;
}

/** All runs of one contestant, or of its second epochs. */
interface Runs {
  readonly name: string;
  readonly outputs: readonly PackingOutput[];
}

const shuffled: Order = { mode: "concat", shuffle: true };
const stored: Order = { mode: "concat", shuffle: false };
const ours = "lance-loader.ts";
const peer = "lancedb_packing.py";
const peerName = "Python LanceDB, shuffled";

const contestants: readonly Contestant[] = [
  { name: "lance-loader, shuffled", script: ours, ...shuffled },
  { name: "lance-loader, storage order", script: ours, ...stored },
  { name: "lance-loader, best-fit, shuffled", script: ours, mode: "bestFit", shuffle: true },
  { name: peerName, script: peer, ...shuffled },
  { name: "Python LanceDB, storage order", script: peer, ...stored },
  { name: "a scan by pylance, nothing packed", script: "lance_scan.py", ...stored },
];

/** Tokens per second of packing, beside the peer's and a plain scan's: each by turns in a process of its own, the median of the rounds. */
export const packing: Suite = {
  options: {
    documents: { type: "string", default: "1000000", help: "documents of the table (1,000,000)" },
    rounds: { type: "string", default: "3", help: "runs of each (3)" },
    length: { type: "string", default: "2048", help: "tokens of a block (2048)" },
    seconds: { type: "string", default: "20", help: "seconds after which the peer may stop (20)" },
    memory: { type: "string", default: "4", help: "GiB that lance-loader may keep in memory (4)" },
  },
  run: async (values) => {
    const { table: path, ...counts } = await createDocuments(dataFolder, wholeNumber(values, "documents"));
    const [length, seconds] = [wholeNumber(values, "length"), wholeNumber(values, "seconds")];
    const memory = wholeNumber(values, "memory");
    const all = counts.tokens + counts.documents;
    const blocks = Math.max(4, Math.floor(all / length / 4) * 4);
    const job = { table: path, length, blocks, seconds, memoryBudget: memory * 2 ** 30 };
    const runs = await runRounds(wholeNumber(values, "rounds"), job);
    const where = environment(pythonVersions());
    const about = `${format(counts.documents)} documents of a log-normal length (median 300, ${format(counts.tokens)} tokens of int32), blocks of ${length}, 4 splits. \
lance-loader has a memoryBudget of ${memory} GiB: shuffled, the first epoch, timed from opening on, scans the table into it, and a later epoch finds it there; in storage order every epoch streams it. \
LanceDB has its default reads, reads the table anew in every epoch, and is stopped after ${seconds} s.`;
    const markdown = `# Sequence packing\n\n${describe(where)}\n${about}\n\n${tableOf(runs)}`;
    return { name: "packing", markdown, data: { environment: where, ...counts, length, blocks, runs } };
  },
};

async function runRounds(rounds: number, job: Omit<PackingJob, keyof Order>): Promise<Runs[]> {
  const outputs = contestants.map((): PackingOutput[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [place, { script, mode, shuffle }] of contestants.entries())
      outputs[place]?.push(await runPacker(script, { ...job, mode, shuffle }));
  }
  return contestants.flatMap(({ name }, place) => byEpoch(name, outputs[place] ?? []));
}

/** The runs of a contestant, in two where each read two epochs. */
function byEpoch(name: string, outputs: readonly PackingOutput[]): Runs[] {
  const later = outputs.flatMap((output) => output.later ?? []);
  if (later.length === 0) return [{ name, outputs }];
  return [
    { name: `${name}, first epoch`, outputs },
    { name: `${name}, later epoch`, outputs: later },
  ];
}

function tableOf(runs: readonly Runs[]): string {
  const best = runs.map(({ name, outputs }) => ({ name, ...middle(outputs) }));
  const scan = best.at(-1)?.speed ?? Number.NaN;
  const other = best.find(({ name }) => name === peerName)?.speed ?? Number.NaN;
  const rows = best.map(({ name, speed, cpu, utilization }) => [
    name,
    format(speed / 1e6),
    format(cpu * 1e9),
    format(speed / other),
    format(speed / scan),
    utilization === undefined ? "" : format(100 * utilization),
  ]);
  const head = ["", "million tokens/s", "CPU ns/token", "times LanceDB", "of the scan", "utilization %"];
  return table(head, rows);
}

/** The run of the median speed: its tokens by the second, and its CPU seconds by the token. */
function middle(outputs: readonly PackingOutput[]): {
  speed: number;
  cpu: number;
  utilization: number | undefined;
} {
  const sorted = outputs
    .map(({ tokens, seconds, cpuSeconds, utilization }) => ({
      speed: tokens / seconds,
      cpu: cpuSeconds / tokens,
      utilization,
    }))
    .toSorted((one, other) => one.speed - other.speed);
  return (
    sorted[Math.floor(sorted.length / 2)] ?? { speed: Number.NaN, cpu: Number.NaN, utilization: undefined }
  );
}
