import { Command } from "commander";
import { LanceLoaderError } from "../../index.ts";
import { type Help, withHelp } from "../options/help.ts";
import { amount, byteSize, list, wholeNumber } from "../options/parse.ts";
import { action, type Run } from "../run.ts";
import { bytes, count, number, seconds, table } from "../terminal/text.ts";
import { type Conditions, type Estimate, estimate, type Way } from "./limits.ts";
import { type Walk, walk } from "./walk.ts";

interface SimulateOptions {
  readonly rows: readonly number[];
  readonly ranks: readonly number[];
  readonly numSplits: number;
  readonly clump: number;
  readonly batchSize: number;
  readonly rowBytes: number;
  readonly columns: number;
  readonly samplesPerSecond: number;
  readonly memoryBudget: number;
  readonly ranksPerMachine: number;
  readonly storeRequests: number;
  readonly prefixes: number;
  readonly latency: number;
  readonly connectionBandwidth: number;
  readonly connections: number;
  readonly network: number;
  readonly diskBandwidth: number;
}

/** One line of the table. */
interface Simulated {
  readonly rows: number;
  readonly ranks: number;
  readonly way: Way;
  readonly walk: Walk;
  readonly estimate: Estimate;
}

const ways: readonly Way[] = ["take", "clump", "scratch"];
/** Lance joins reads of an object store that are closer than this. */
const joinedBytes = 64 * 2 ** 10;
/** A window never has more rows, and at most this part of the budget. */
const mostWindowRows = 2 ** 18;
const windowShare = 6;

const help: Help = {
  summary: "what an epoch on many machines asks of an object store",
  details:
    "Walks parts of an epoch of a table that need not exist, on 1 to thousands of ranks, " +
    "by the real plan, and sets what it asks for beside what an object store and " +
    "machines can give: which limit is met first. Windows at the beginning, in the " +
    "middle and at the end of the first, the middle and the last rank are walked; " +
    "requests and bytes are counted from them, times are estimated from the limits, no " +
    "byte is read.\ntake: each row by itself. clump: a shuffle of runs of --clump rows. " +
    "scratch: each rank scans the whole table once an epoch, and deals its part out on a " +
    "local disk.\nThe defaults of the store are what Amazon S3 documents; measure yours.",
  examples: ["simulate --rows 1e9 --ranks 64 --row-bytes 64KiB --samples-per-second 500"],
};

/** `lance-loader simulate`. */
export function simulateCommand(): Command {
  return withHelp(new Command("simulate"), help)
    .option("--rows <list>", "rows of the table", list(wholeNumber(1)), [1e9, 1e10])
    .option("--ranks <list>", "processes that share the epoch", list(wholeNumber(1)), [1, 8, 64, 512, 4096])
    .option("--num-splits <n>", "splits, a multiple of every number of ranks", wholeNumber(1), 4096)
    .option("--clump <rows>", "rows that the clumped shuffle keeps together", wholeNumber(2), 256)
    .option("--batch-size <rows>", "rows of a batch of one rank", wholeNumber(1), 256)
    .option("--row-bytes <bytes>", "bytes of a row in the table", byteSize, 1024)
    .option("--columns <n>", "columns that are read, a request each", wholeNumber(1), 1)
    .option("--samples-per-second <n>", "what each rank wants", amount, 2000)
    .option("--memory-budget <bytes>", "memory of each rank", byteSize, 2 ** 30)
    .option("--ranks-per-machine <n>", "ranks that share a network and a disk", wholeNumber(1), 8)
    .option("--store-requests <n>", "GETs a second that the store answers for one prefix", amount, 5500)
    .option("--prefixes <n>", "prefixes that the table's files are spread over", wholeNumber(1), 1)
    .option("--latency <ms>", "milliseconds to a request's first byte", amount, 100)
    .option("--connection-bandwidth <bytes>", "bytes a second of one request", byteSize, 85e6)
    .option("--connections <n>", "requests that a rank has under way", wholeNumber(1), 64)
    .option("--network <bytes>", "bytes a second of a machine", byteSize, 3.125e9)
    .option("--disk-bandwidth <bytes>", "bytes a second of a machine's scratch disk", byteSize, 2e9)
    .action(action(simulate));
}

async function simulate({ options, output, signal }: Run<SimulateOptions>): Promise<void> {
  const settings = options.rows.flatMap((rows) =>
    options.ranks.flatMap((ranks) => ways.map((way) => ({ rows, ranks, way }))),
  );
  const on = conditionsOf(options);
  const results: Simulated[] = [];
  {
    using progress = output.progress("simulating", settings.length, "set-ups");
    for (const setting of settings) {
      // Lets Ctrl-C and the progress bar have their turn.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new LanceLoaderError("ABORTED", "The simulation was interrupted.");
      results.push(simulated(setting, on, options));
      progress.update(results.length);
    }
  }
  output.result({ conditions: on, clump: options.clump, numSplits: options.numSplits, results }, () => [
    ...tableOf(results),
    "",
    `Requests and bytes are what ${number(on.demand)} samples a second and rank need. ${count(walkedIn(results))} samples were walked.`,
    states(results),
    ...heldBack(results),
  ]);
}

function conditionsOf(options: SimulateOptions): Conditions {
  return {
    rowBytes: options.rowBytes,
    columns: options.columns,
    batchSize: options.batchSize,
    demand: options.samplesPerSecond,
    memoryBudget: options.memoryBudget,
    ranksPerMachine: options.ranksPerMachine,
    storeRequests: options.storeRequests * options.prefixes,
    latency: options.latency / 1000,
    connectionBytes: options.connectionBandwidth,
    connections: options.connections,
    machineBytes: options.network,
    diskBytes: options.diskBandwidth,
  };
}

function simulated(
  { rows, ranks, way }: Pick<Simulated, "rows" | "ranks" | "way">,
  on: Conditions,
  { numSplits, clump, batchSize }: SimulateOptions,
): Simulated {
  const walked = walk({
    rows,
    ranks,
    numSplits,
    clump: way === "clump" ? clump : 1,
    batchSize,
    windowRows: Math.max(
      batchSize,
      Math.min(mostWindowRows, Math.floor(on.memoryBudget / windowShare / on.rowBytes)),
    ),
    gapRows: Math.floor(joinedBytes / (on.rowBytes / on.columns)),
  });
  return { rows, ranks, way, walk: walked, estimate: estimate(way, rows, ranks, numSplits, walked, on) };
}

function walkedIn(results: readonly Simulated[]): number {
  return results.reduce((sum, { walk }) => sum + walk.walkedSamples, 0);
}

function tableOf(results: readonly Simulated[]): string[] {
  const headings = [
    "rows",
    "ranks",
    "way",
    "requests/s a rank",
    "in all",
    "bytes/s a rank",
    "in all",
    "memory a rank",
    "first batch",
    "resume",
    "samples/s a rank",
    "held back by",
  ];
  return table(
    headings,
    results.map(({ rows, ranks, way, walk, estimate: of }) => [
      count(rows),
      count(ranks),
      way,
      number(of.requestsPerSecondPerRank),
      number(of.requestsPerSecond),
      bytes(of.bytesPerSecondPerRank),
      bytes(of.bytesPerSecond),
      bytes(of.memoryPerRank),
      seconds(of.firstBatchSeconds),
      seconds(walk.resumeSeconds),
      of.samplesPerSecondPerRank === 0 ? "none" : number(of.samplesPerSecondPerRank),
      `${of.heldBackBy}${of.meetsDemand ? " (enough)" : ""}`,
    ]),
  );
}

/** For each way, from how many ranks on the demand is not met, and why. */
function heldBack(results: readonly Simulated[]): string[] {
  const rowCounts = [...new Set(results.map(({ rows }) => rows))];
  return rowCounts.flatMap((rows) =>
    ways.map((way) => {
      const lines = results.filter((result) => result.rows === rows && result.way === way);
      const failing = lines.find((result) => !result.estimate.meetsDemand);
      const from = `${count(rows)} rows, ${way}:`;
      if (failing === undefined) return `${from} enough up to ${ranksOf(lines.at(-1))}.`;
      return `${from} not enough from ${ranksOf(failing)} on: ${failing.estimate.heldBackBy}.`;
    }),
  );
}

/** How much of states the largest set-up saves. */
function states(results: readonly Simulated[]): string {
  const largest = results.reduce((most, result) => (result.ranks > most.ranks ? result : most));
  const one = largest.walk.stateBytes;
  return `A state is ${bytes(one)}; where all of ${ranksOf(largest)} are merged, ${bytes(one * largest.ranks)} are read.`;
}

function ranksOf(result: Simulated | undefined): string {
  const ranks = result?.ranks ?? 0;
  return ranks === 1 ? "1 rank" : `${count(ranks)} ranks`;
}
