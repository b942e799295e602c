import { dirname } from "node:path";
import { Command, Option } from "commander";
import { LanceLoaderError, type PermutationBuilder, permutationBuilder } from "../index.ts";
import { type Help, withHelp } from "./options/help.ts";
import { amount, byteSize, collect, list, name, seed, wholeNumber } from "./options/parse.ts";
import { locationOf, type TableOptions } from "./options/table.ts";
import { action, type Run } from "./run.ts";
import { count, pairs, percent, table } from "./terminal/text.ts";

interface PermuteOptions extends TableOptions {
  readonly name: string;
  readonly database?: string;
  readonly by: "random" | "sequential" | "hash" | "sql";
  readonly ratios?: readonly number[];
  readonly counts?: readonly number[];
  readonly fixed?: number;
  readonly names?: readonly string[];
  readonly hash?: readonly string[];
  readonly weights?: readonly number[];
  readonly discard?: number;
  readonly sql?: string;
  readonly seed?: bigint;
  readonly clump?: number;
  readonly shuffle?: boolean;
  readonly filter?: string;
  readonly memoryLimit?: number;
  readonly tempDir?: string;
}

const help: Help = {
  summary: "builds a permutation and stores it",
  details:
    "Cuts the rows of a table's newest version into splits, and stores which row is in " +
    "which split, in which order, as a table of its own. Python LanceDB reads it, too.",
  examples: [
    "permute data/train.lance --name train_split --ratios 0.9,0.1 --names train,val",
    "permute data/train.lance --name by_user --by hash --hash user --weights 9,1",
  ],
};

/** `lance-loader permute`. */
export function permuteCommand(): Command {
  return withHelp(new Command("permute"), help)
    .argument("<table>", "path or URI of a Lance table, a folder that ends in .lance")
    .option(
      "--storage-option <key=value>",
      "an option of the object store; may be given several times",
      collect,
    )
    .requiredOption("--name <name>", "the name of the new table")
    .option("--database <uri>", "where it is stored (default: beside the table)")
    .addOption(
      new Option("--by <strategy>", "how rows find their split")
        .choices(["random", "sequential", "hash", "sql"])
        .default("random"),
    )
    .option("--ratios <list>", "the share of each split, such as 0.8,0.2", list(amount))
    .option("--counts <list>", "the rows of each split", list(wholeNumber()))
    .option("--fixed <n>", "so many equal splits", wholeNumber(1))
    .option("--names <list>", "the names of the splits, such as train,val", list(name))
    .option("--hash <columns>", "with --by hash: the columns whose values are hashed", list(name))
    .option("--weights <list>", "with --by hash: the share of each split, such as 9,1", list(wholeNumber(1)))
    .option("--discard <weight>", "with --by hash: the share of the rows that no split gets", wholeNumber())
    .option("--sql <expression>", "with --by sql: gives the number of the row's split")
    .option("--seed <n>", "seed of the random splits and of --shuffle (default: 0)", seed)
    .option("--clump <rows>", "rows that stay together (default: 1)", wholeNumber(1))
    .option("--shuffle", "shuffles inside the splits")
    .option("--filter <sql>", "only rows for which this is true")
    .option("--memory-limit <bytes>", "of the build, before it goes to temporary files", byteSize)
    .option("--temp-dir <folder>", "where temporary files may be")
    .action(action(permute));
}

async function permute({ args, options, output, signal }: Run<PermuteOptions>): Promise<void> {
  const [uri = ""] = args;
  const source = locationOf(uri, options);
  const builder = described(permutationBuilder(source), options);
  const database = locationOf(options.database ?? parentOf(uri), options);
  if (process.stderr.isTTY) output.note("building the permutation…");
  const started = performance.now();
  const stored = await builder.persist(database, options.name, { signal });
  const seconds = (performance.now() - started) / 1000;
  const { baseUri, baseVersion, splitLengths, splitNames } = stored;
  const splits = splitLengths.map((rows, split) => ({ split, name: splitNames?.[split] ?? null, rows }));
  const rows = splitLengths.reduce((sum, length) => sum + length, 0);
  const result = { uri: stored.uri, table: baseUri, version: baseVersion, rows, splits, seconds };
  output.result(result, () => [
    ...pairs([
      ["stored as", stored.uri ?? ""],
      ["rows", `${count(rows)} of version ${baseVersion} of ${baseUri}`],
    ]),
    "",
    ...table(
      ["split", "name", "rows", "share"],
      splits.map((split) => [
        String(split.split),
        split.name ?? "-",
        count(split.rows),
        percent(rows === 0 ? 0 : split.rows / rows),
      ]),
    ),
  ]);
}

/** What the options describe. */
function described(start: PermutationBuilder, options: PermuteOptions): PermutationBuilder {
  const { filter, shuffle, seed, clump, memoryLimit, tempDir } = options;
  let builder = split(start, options);
  if (filter !== undefined) builder = builder.filter(filter);
  if (shuffle) builder = builder.shuffle({ ...given({ seed, clumpSize: clump }) });
  if (memoryLimit !== undefined) builder = builder.memoryLimit(memoryLimit);
  return tempDir === undefined ? builder : builder.tempDir(tempDir);
}

function split(builder: PermutationBuilder, options: PermuteOptions): PermutationBuilder {
  const { by, ratios, counts, fixed, names: splitNames, seed, clump } = options;
  const sizes = given({ ratios, counts, fixed, splitNames });
  if (by === "hash")
    return builder.splitHash({
      columns: needed("--hash", options.hash),
      splitWeights: needed("--weights", options.weights),
      ...given({ discardWeight: options.discard, splitNames }),
    });
  if (by === "sql")
    return builder.splitCalculated({ calculation: needed("--sql", options.sql), ...given({ splitNames }) });
  if (by === "sequential") return builder.splitSequential(sizes);
  return builder.splitRandom({ ...sizes, ...given({ seed, clumpSize: clump }) });
}

function needed<Value>(option: string, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `${option} is missing: this strategy needs it (see --help).`,
  );
}

/** An object without the keys whose value was not given. */
function given<Values extends object>(values: Values): { [Key in keyof Values]?: NonNullable<Values[Key]> } {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Key in keyof Values]?: NonNullable<Values[Key]> };
}

/** The database that a table lies in. */
function parentOf(uri: string): string {
  const trimmed = uri.replace(/[\\/]+$/, "");
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(trimmed) ? trimmed.replace(/\/[^/]*$/, "") : dirname(trimmed);
}
