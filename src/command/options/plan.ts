import { type Command, Option } from "commander";
import { Permutation, type StreamingDatasetOptions } from "../../index.ts";
import { list, name, seed, wholeNumber } from "./parse.ts";
import { locationOf, type TableOptions, versionOf } from "./table.ts";

/** What decides which rows come in which order. */
export interface PlanOptions extends TableOptions {
  readonly columns?: readonly string[];
  readonly filter?: string;
  readonly numSplits?: number;
  readonly shuffle: boolean;
  readonly seed?: bigint;
  readonly clump?: number;
  readonly epoch?: number;
  readonly remainder?: "drop" | "keep";
  readonly rank?: number;
  readonly worldSize?: number;
  readonly permutation?: string;
  readonly split?: string;
}

/** Adds the options that decide an order to a subcommand. */
export function withPlan(command: Command): Command {
  return command
    .option("--columns <names>", "columns to read, between commas (default: all)", list(name))
    .option("--filter <sql>", "only rows for which this is true")
    .option("--num-splits <n>", "splits of the epoch (default: the world size)", wholeNumber(1))
    .option("--no-shuffle", "storage order")
    .option("--seed <n>", "seed of the shuffle (default: 0)", seed)
    .option("--clump <rows>", "rows that the shuffle keeps together (default: 1)", wholeNumber(1))
    .option("--epoch <n>", "the epoch (default: 0)", wholeNumber())
    .addOption(new Option("--remainder <what>", "rows left over from the splits").choices(["drop", "keep"]))
    .option("--rank <n>", "one process out of the world size", wholeNumber())
    .option("--world-size <n>", "processes that share the epoch (default: 1)", wholeNumber(1))
    .option("--permutation <table>", "the rows of a stored permutation")
    .option("--split <name>", "the split of the permutation, a name or a number (default: 0)");
}

/** The same options as the library takes them. */
export async function planOptionsOf(table: string, options: PlanOptions): Promise<StreamingDatasetOptions> {
  const { columns, filter, numSplits, shuffle, seed, clump, epoch, remainder, rank, worldSize } = options;
  const permutation = await permutationOf(table, options);
  return {
    ...versionOf(options),
    shuffle,
    ...(columns && { columns }),
    ...(filter !== undefined && { filter }),
    ...(numSplits !== undefined && { numSplits }),
    ...(seed !== undefined && { shuffleSeed: seed }),
    ...(clump !== undefined && { shuffleClumpSize: clump }),
    ...(epoch !== undefined && { epoch }),
    ...(remainder && { remainder }),
    ...(rank !== undefined && { rank }),
    ...(worldSize !== undefined && { worldSize }),
    ...(permutation && { permutation }),
  };
}

async function permutationOf(table: string, options: PlanOptions): Promise<Permutation | undefined> {
  const { permutation, split = "0" } = options;
  if (permutation === undefined) return undefined;
  const stored = locationOf(permutation, options);
  return await Permutation.fromTables(locationOf(table, options), stored, splitOf(split));
}

/** A split by its number, or else by its name. */
function splitOf(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}
