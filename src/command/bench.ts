import { Command, InvalidArgumentError, Option } from "commander";
import { StreamingDataset, type StreamingDatasetOptions, type TableLocation } from "../index.ts";
import { type Help, withHelp } from "./options/help.ts";
import { wholeNumber } from "./options/parse.ts";
import { type PlanOptions, planOptionsOf, withPlan } from "./options/plan.ts";
import { type ReadOptions, readOptionsOf, withRead, withTransform } from "./options/read.ts";
import { locationOf, withTable } from "./options/table.ts";
import { action, type Run } from "./run.ts";
import type { Output } from "./terminal/output.ts";
import { bytes, number, seconds, table } from "./terminal/text.ts";

interface BenchOptions extends PlanOptions, ReadOptions {
  readonly ways: readonly Way[];
  readonly rounds: number;
  readonly rows?: number;
}

const allWays = ["auto", "memory", "scratch", "take", "unshuffled"] as const;
type Way = (typeof allWays)[number];

/** One epoch, or its beginning. */
interface Measured {
  readonly rows: number;
  readonly rowsPerSecond: number;
  readonly firstBatchSeconds: number;
  readonly bytesPerSecond: number;
}

/** Medians of the rounds. */
interface Line extends Measured {
  readonly way: Way;
  /** Later epochs of the same dataset: from memory, where that is the way. */
  readonly laterRowsPerSecond: number;
}

const help: Help = {
  summary: "how fast this table is read here, by each way of fetching",
  details:
    "Reads epochs of the table in batches, each way in turn, round by round, and shows " +
    "the medians: the first epoch with everything counted from opening the table, and a " +
    "later one of the same dataset. The first round warms the page cache and is not " +
    "counted.",
  examples: ["bench data/train.lance --ways memory,scratch,take --batch-size 512 --rounds 5"],
};

/** `lance-loader bench`. */
export function benchCommand(): Command {
  return withHelp(withTransform(withRead(withPlan(withTable(new Command("bench"))))), help)
    .addOption(
      new Option("--ways <list>", `ways to measure, out of ${allWays.join(", ")}`)
        .argParser(waysOf)
        .default(["take", "unshuffled"]),
    )
    .option("--rounds <n>", "rounds that count", wholeNumber(1), 3)
    .option("--rows <n>", "rows of an epoch that are read (default: all)", wholeNumber(1))
    .action(action(bench));
}

function waysOf(text: string): Way[] {
  return text.split(",").map((part) => {
    const way = allWays.find((known) => known === part.trim());
    if (way !== undefined) return way;
    throw new InvalidArgumentError(`It must be out of ${allWays.join(", ")}.`);
  });
}

async function bench({ args, options, output, signal }: Run<BenchOptions>): Promise<void> {
  const [uri = ""] = args;
  const location = locationOf(uri, options);
  const common = { ...(await planOptionsOf(uri, options)), ...readOptionsOf(options), signal };
  const rounds = await measureAll(location, common, options, output);
  const lines = [...rounds].map(([way, measured]) => lineOf(way, measured));
  const { batchSize, rounds: counted } = options;
  output.result({ batchSize, rounds: counted, ways: lines }, () =>
    table(
      ["way", "rows", "rows/s", "read/s", "first batch", "rows/s, later epochs"],
      lines.map((line) => [
        line.way,
        number(line.rows),
        number(line.rowsPerSecond),
        bytes(line.bytesPerSecond),
        seconds(line.firstBatchSeconds),
        number(line.laterRowsPerSecond),
      ]),
    ),
  );
}

type Rounds = Map<Way, { readonly first: Measured; readonly later: Measured }[]>;

/** Each way in turn, round by round; the first round is not counted. */
async function measureAll(
  location: TableLocation,
  common: StreamingDatasetOptions,
  options: BenchOptions,
  output: Output,
): Promise<Rounds> {
  const rounds: Rounds = new Map(options.ways.map((way) => [way, []]));
  let done = 0;
  using progress = output.progress("measuring", (options.rounds + 1) * rounds.size, "runs");
  for (let round = 0; round <= options.rounds; round++) {
    for (const [way, measured] of rounds) {
      const one = await measure(location, { ...common, ...optionsOf(way) }, options);
      if (round > 0) measured.push(one);
      progress.update(++done);
    }
  }
  return rounds;
}

function optionsOf(way: Way): StreamingDatasetOptions {
  return way === "unshuffled" ? { shuffle: false, fetch: "take" } : { fetch: way };
}

async function measure(
  location: TableLocation,
  options: StreamingDatasetOptions,
  limits: BenchOptions,
): Promise<{ first: Measured; later: Measured }> {
  const began = performance.now();
  await using dataset = await StreamingDataset.open(location, options);
  const first = await epoch(dataset, began, limits);
  dataset.setEpoch(dataset.epoch + 1);
  return { first, later: await epoch(dataset, performance.now(), limits) };
}

async function epoch(
  dataset: StreamingDataset,
  began: number,
  { batchSize, rows: most = Number.POSITIVE_INFINITY }: BenchOptions,
): Promise<Measured> {
  const before = dataset.stats.bytesLoaded;
  let rows = 0;
  let firstBatch = began;
  for await (const batch of dataset.batches(batchSize)) {
    if (rows === 0) firstBatch = performance.now();
    rows += "numRows" in batch ? batch.numRows : (batch as readonly unknown[]).length;
    if (rows >= most) break;
  }
  const taken = (performance.now() - began) / 1000;
  return {
    rows,
    rowsPerSecond: rows / taken,
    firstBatchSeconds: (firstBatch - began) / 1000,
    bytesPerSecond: (dataset.stats.bytesLoaded - before) / taken,
  };
}

function lineOf(way: Way, measured: readonly { first: Measured; later: Measured }[]): Line {
  const middle = (of: (round: (typeof measured)[number]) => number) => median(measured.map(of));
  return {
    way,
    rows: middle(({ first }) => first.rows),
    rowsPerSecond: middle(({ first }) => first.rowsPerSecond),
    firstBatchSeconds: middle(({ first }) => first.firstBatchSeconds),
    bytesPerSecond: middle(({ first }) => first.bytesPerSecond),
    laterRowsPerSecond: middle(({ later }) => later.rowsPerSecond),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}
