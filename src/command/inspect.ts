import { Command } from "commander";
import { describeTable, LanceLoaderError, type TableDescription } from "../index.ts";
import { type Help, withHelp } from "./options/help.ts";
import { byteSize, list, name, wholeNumber } from "./options/parse.ts";
import { locationOf, type TableOptions, versionOf, withTable } from "./options/table.ts";
import { measureRowBytes } from "./row-bytes.ts";
import { action, type Run } from "./run.ts";
import type { Output } from "./terminal/output.ts";
import { bytes, count, pairs, percent, table } from "./terminal/text.ts";

interface InspectOptions extends TableOptions {
  readonly columns?: readonly string[];
  readonly memoryBudget: number;
  readonly sampleRows: number;
}

interface ColumnSize {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  /** Bytes in memory of one row, on average of the sample. */
  readonly bytesPerRow: number;
}

const help: Help = {
  summary: "what a table is made of, and whether it fits into memory",
  details:
    "Shows the schema, the rows and fragments of one version of a table, how large a row " +
    "is in memory (from a random sample, which is read) and on disk, and whether the " +
    "rows fit the memory budget.",
  examples: ["inspect data/train.lance --columns image,label --memory-budget 8GiB"],
};

/** `lance-loader inspect`. */
export function inspectCommand(): Command {
  return withHelp(withTable(new Command("inspect")), help)
    .option("--columns <names>", "columns to measure, between commas (default: all)", list(name))
    .option("--memory-budget <bytes>", "the budget to compare with, such as 4GiB", byteSize, 2 ** 30)
    .option("--sample-rows <n>", "rows to read for the size of a row", wholeNumber(1), 1024)
    .action(action(inspect));
}

async function inspect({ args, options, output }: Run<InspectOptions>): Promise<void> {
  const [uri = ""] = args;
  const location = locationOf(uri, options);
  const description = await describeTable(location, versionOf(options));
  const columns = await measure(description, location, options);
  const sizes = sizesOf(description);
  const bytesPerRow = columns.reduce((sum, column) => sum + column.bytesPerRow, 0);
  const { memoryBudget } = options;
  const needed = Math.ceil(bytesPerRow * description.numRows);
  const { uri: place, version, branch, numRows, stableRowIds } = description;
  const memory = {
    bytesPerRow,
    bytes: needed,
    budget: memoryBudget,
    fits: needed <= memoryBudget,
    rowsThatFit: bytesPerRow === 0 ? numRows : Math.min(numRows, Math.floor(memoryBudget / bytesPerRow)),
  };
  const result = { uri: place, version, branch, rows: numRows, ...sizes, stableRowIds, columns, memory };
  output.result(result, () => lines(result, output));
}

/** The bytes of each column in a random sample of rows. */
async function measure(
  { numRows, schema, version }: TableDescription,
  location: ReturnType<typeof locationOf>,
  { columns, sampleRows, branch }: InspectOptions,
): Promise<ColumnSize[]> {
  const fields = schema.fields.filter((field) => columns?.includes(field.name) ?? true);
  const unknown = columns?.find((column) => !fields.some((field) => field.name === column));
  if (unknown !== undefined)
    throw new LanceLoaderError(
      "UNKNOWN_COLUMN",
      `columns names "${unknown}", which the table does not have: it has ${schema.fields.map((field) => field.name).join(", ")}.`,
    );
  const at = { version, ...(branch !== undefined && { branch }) };
  const names = fields.map((field) => field.name);
  const sizes = numRows === 0 ? undefined : await measureRowBytes(location, at, names, sampleRows);
  return fields.map((field) => ({
    name: field.name,
    type: String(field.type),
    nullable: field.nullable,
    bytesPerRow: sizes?.get(field.name) ?? 0,
  }));
}

/** What the fragments come to. */
function sizesOf({ fragments }: TableDescription) {
  const sum = (of: (fragment: (typeof fragments)[number]) => number) =>
    fragments.reduce((total, fragment) => total + of(fragment), 0);
  const known = fragments.every((fragment) => fragment.bytes !== undefined);
  const [rows, deleted] = [sum((fragment) => fragment.rows), sum((fragment) => fragment.deleted)];
  const bytesOnDisk = known ? sum((fragment) => fragment.bytes ?? 0) : null;
  return {
    deleted,
    fragments: fragments.length,
    files: sum((fragment) => fragment.files),
    smallestFragment: fragments.reduce((least, fragment) => Math.min(least, fragment.rows), rows),
    largestFragment: fragments.reduce((most, fragment) => Math.max(most, fragment.rows), 0),
    bytesOnDisk,
    bytesOnDiskPerRow: bytesOnDisk === null || rows + deleted === 0 ? null : bytesOnDisk / (rows + deleted),
  };
}

interface Inspected extends ReturnType<typeof sizesOf> {
  readonly uri: string;
  readonly version: number;
  readonly branch: string | null;
  readonly rows: number;
  readonly stableRowIds: boolean;
  readonly columns: readonly ColumnSize[];
  readonly memory: {
    readonly bytesPerRow: number;
    readonly bytes: number;
    readonly budget: number;
    readonly fits: boolean;
    readonly rowsThatFit: number;
  };
}

function lines(result: Inspected, output: Output): string[] {
  const { memory, rows, deleted, fragments } = result;
  const part = rows + deleted === 0 ? 0 : deleted / (rows + deleted);
  const disk = result.bytesOnDisk;
  const perRow = result.bytesOnDiskPerRow;
  const fits = memory.fits
    ? `yes, ${bytes(memory.bytes)} of ${bytes(memory.budget)}: read once, then gathered from memory`
    : `no, ${bytes(memory.bytes)} is more than ${bytes(memory.budget)}, which holds ${count(memory.rowsThatFit)} rows: scratch or takes`;
  return [
    ...pairs([
      ["table", result.uri],
      ["version", `${result.version}${result.branch === null ? "" : ` of branch ${result.branch}`}`],
      ["rows", count(rows)],
      ["deleted rows", `${count(deleted)} (${percent(part)} of what the files hold)`],
      [
        "fragments",
        `${count(fragments)}, of ${count(result.smallestFragment)} to ${count(result.largestFragment)} rows`,
      ],
      ["data files", count(result.files)],
      ["on disk", disk === null ? "not noted by the writer" : `${bytes(disk)}, ${bytes(perRow ?? 0)} a row`],
      ["row ids", result.stableRowIds ? "stable: rows keep them when they are moved" : "addresses"],
      ["in memory", `${bytes(memory.bytesPerRow)} a row`],
      ["fits the budget", fits],
    ]),
    "",
    output.heading("columns"),
    ...table(
      ["name", "type", "nullable", "bytes a row"],
      result.columns.map(({ name, type, nullable, bytesPerRow }) => [
        name,
        type,
        nullable ? "yes" : "no",
        bytes(bytesPerRow),
      ]),
    ),
  ];
}
