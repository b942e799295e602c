import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import {
  describeTable,
  LanceLoaderError,
  Permutations,
  StreamingDataset,
  type StreamingDatasetOptions,
  type TableDescription,
  type TableLocation,
} from "../../index.ts";
import { type Help, withHelp } from "../options/help.ts";
import { amount, wholeNumber } from "../options/parse.ts";
import { type PlanOptions, planOptionsOf, withPlan } from "../options/plan.ts";
import { type ReadOptions, readOptionsOf, withRead, withTransform } from "../options/read.ts";
import { locationOf, withTable } from "../options/table.ts";
import { measureRowBytes, sumOf } from "../row-bytes.ts";
import { action, type Run } from "../run.ts";
import type { Output } from "../terminal/output.ts";
import { bytes, count, number, seconds } from "../terminal/text.ts";
import { costOf } from "./cost.ts";
import type { ReportData, Split } from "./data.ts";
import { mixingOf } from "./mixing.ts";
import { packingOf } from "./packing.ts";
import { pageOf } from "./page.ts";
import { throughputOf } from "./throughput.ts";

interface ReportOptions extends PlanOptions, ReadOptions {
  readonly out: string;
  readonly rows: number;
  readonly consumerMs: number;
  readonly pack?: number;
  readonly packColumn?: string;
  readonly eos?: number;
  readonly pad?: number;
}

/** Rows that are read to learn how large a row is. */
const sampleRows = 1024;

const help: Help = {
  summary: "a page of pictures of a table and a plan",
  details:
    "Writes one HTML page that needs nothing beside itself: sizes of splits and " +
    "fragments, how well the shuffle mixes, what clumps and windows cost, throughput and " +
    "where it waits, and with --pack how well blocks are filled. Runs the plan for up to " +
    "--rows rows.",
  examples: [
    "report data/train.lance --clump 64 --out train.html",
    "report data/tokens.lance --pack 2048 --pack-column tokens --eos 50256",
  ],
};

/** `lance-loader report`. */
export function reportCommand(): Command {
  return withHelp(withTransform(withRead(withPlan(withTable(new Command("report"))))), help)
    .option("--out <file>", "where the page is written", "report.html")
    .option("--rows <n>", "rows of the epoch that are run", wholeNumber(1), 200_000)
    .option("--consumer-ms <ms>", "what a training step takes for each batch", amount, 0)
    .option("--pack <tokens>", "packs documents into blocks of this length", wholeNumber(2))
    .option("--pack-column <name>", "with --pack: the column of token lists")
    .option("--eos <id>", "with --pack: the token behind each document (default: 0)", wholeNumber())
    .option("--pad <id>", "with --pack: the token of padding (default: that of --eos)", wholeNumber())
    .action(action(report));
}

async function report({ args, options, output, signal }: Run<ReportOptions>): Promise<void> {
  const [uri = ""] = args;
  const location = locationOf(uri, options);
  const planned = { ...(await planOptionsOf(uri, options)), signal };
  const data = await dataOf(location, planned, { ...options, output });
  const out = resolve(options.out);
  const page = pageOf(data);
  writeFileSync(out, page);
  const { throughput, mixing } = data;
  const { rows, seconds: took } = throughput;
  const result = {
    out,
    bytes: Buffer.byteLength(page),
    rows,
    seconds: took,
    correlation: mixing.correlation,
  };
  output.result(result, () => [
    `${out}: ${bytes(result.bytes)}, ${count(rows)} rows read in ${seconds(took)} (${number(rows / took)} rows/s)`,
  ]);
}

async function dataOf(
  location: TableLocation,
  planned: StreamingDatasetOptions,
  { output, ...asked }: ReportOptions & { readonly output: Output },
): Promise<ReportData> {
  await using dataset = await StreamingDataset.open(location, planned);
  const { numSplits, numSamples, version } = dataset;
  const { table_branch: branch } = dataset.stateDict();
  const table = await describeTable(location, { version, ...(branch && { branch }) });
  // Whatever is written meanwhile, all of the page is of one version.
  const options = { ...planned, version };
  const rows = numSamples * (asked.worldSize ?? 1);
  const sizes = await measureRowBytes(location, options, dataset.columnNames, sampleRows);
  const rowBytes = sumOf(sizes);
  const isRemote = /^[a-z][a-z0-9+.-]+:\/\//i.test(table.uri) && !table.uri.startsWith("file:");
  return {
    title: `${table.uri}, version ${version}`,
    facts: factsOf(table, { ...asked, rows, rowBytes, numSplits }),
    splits: await splitsOf(location, asked, dataset),
    fragments: table.fragments.map(({ rows, deleted }) => ({ rows, deleted })),
    mixing: mixingOf(dataset, table),
    cost: costOf({ rows, numSplits, rowBytes, columns: sizes.size, isRemote }),
    throughput: await throughputOf(location, { ...options, ...readOptionsOf(asked) }, asked, output),
    packing:
      asked.pack === undefined
        ? []
        : await packingOf(location, options, packOptionsOf(asked, asked.pack), output),
  };
}

function packOptionsOf({ packColumn, eos = 0, pad = eos, rows }: ReportOptions, length: number) {
  if (packColumn !== undefined)
    return { column: packColumn, length, eosId: eos, padId: pad, documents: rows };
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    "--pack-column is missing: it names the column of token lists.",
  );
}

/** The splits of the permutation, where there is one, else those of the epoch. */
async function splitsOf(
  location: TableLocation,
  asked: ReportOptions,
  dataset: StreamingDataset,
): Promise<Split[]> {
  if (asked.permutation !== undefined) {
    const stored = await Permutations.open(location, locationOf(asked.permutation, asked));
    return Array.from({ length: stored.length }, (_, split) => ({
      name: stored.splitNames[split] ?? String(split),
      rows: stored.get(split).numRows,
    }));
  }
  const owned = dataset.numSplits / (asked.worldSize ?? 1);
  const [length, longer] = [Math.floor(dataset.numSamples / owned), dataset.numSamples % owned];
  return Array.from({ length: dataset.numSplits }, (_, split) => ({
    name: String(split),
    rows: length + (split < longer ? 1 : 0),
  }));
}

interface Facts extends ReportOptions {
  readonly rows: number;
  readonly rowBytes: number;
  readonly numSplits: number;
}

function factsOf(table: TableDescription, { rows, rowBytes, numSplits, ...asked }: Facts) {
  const order = asked.shuffle
    ? `shuffled, ${asked.clump ? `clumps of ${count(asked.clump)}` : "no clumps"}`
    : "storage order";
  const facts: [string, string][] = [
    ["rows of the table", count(table.numRows)],
    ["rows of the epoch", count(rows)],
    ["fragments", count(table.fragments.length)],
    ["a row in memory", bytes(rowBytes)],
    ["order", order],
    ["splits", count(numSplits)],
    ["seed", String(asked.seed ?? 0)],
    ["batch size", count(asked.batchSize)],
  ];
  if (asked.filter !== undefined) facts.push(["filter", asked.filter]);
  if (asked.consumerMs > 0) facts.push(["consumer", `${asked.consumerMs} ms a batch`]);
  return facts;
}
