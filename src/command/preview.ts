import { Command } from "commander";
import { type Row, StreamingDataset } from "../index.ts";
import { type Help, withHelp } from "./options/help.ts";
import { wholeNumber } from "./options/parse.ts";
import { type PlanOptions, planOptionsOf, withPlan } from "./options/plan.ts";
import { locationOf, withTable } from "./options/table.ts";
import { action, type Run } from "./run.ts";
import { plain } from "./terminal/json.ts";
import { count } from "./terminal/text.ts";

interface PreviewOptions extends PlanOptions {
  readonly rows: number;
}

/** The longest value that is shown whole. */
const shown = 60;

const help: Help = {
  summary: "the first samples of a plan",
  details:
    "Shows the first rows that a rank is handed, in their order, with their row ids. " +
    "Reads no more than these rows. With --json the values are whole: bytes are in " +
    "base64, vectors are lists.",
  examples: [
    "preview data/train.lance --columns label,text --seed 7",
    "preview data/train.lance --permutation data/train_split.lance --split val",
  ],
};

/** `lance-loader preview`. */
export function previewCommand(): Command {
  return withHelp(withPlan(withTable(new Command("preview"))), help)
    .option("--rows <n>", "how many rows", wholeNumber(1), 5)
    .action(action(preview));
}

async function preview({ args, options, output, signal }: Run<PreviewOptions>): Promise<void> {
  const [uri = ""] = args;
  const plan = await planOptionsOf(uri, options);
  const location = locationOf(uri, options);
  await using dataset = await StreamingDataset.open(location, { ...plan, fetch: "take", signal });
  const rows: Row[] = [];
  const rowsWanted = Math.min(options.rows, dataset.numSamples);
  for await (const batch of dataset.batches(rowsWanted)) {
    rows.push(...batch.rows());
    break;
  }
  const cycle = dataset.numSplits / (options.worldSize ?? 1);
  const ids = dataset.plan.rowIds(0, Math.ceil(rows.length / cycle), { ranks: "own" });
  const samples = rows.map((values, at) => ({ row_id: ids[at], ...values }));
  const { epoch, numSplits, numSamples, version } = dataset;
  output.result({ version, epoch, numSplits, numSamples, samples }, () => [
    output.heading(
      `${count(rows.length)} of ${count(numSamples)} samples of epoch ${epoch}, version ${version}, ${count(numSplits)} splits`,
    ),
    ...samples.flatMap((sample, at) => [
      "",
      `sample ${at}`,
      ...Object.entries(sample).map(([name, value]) => `  ${name}: ${brief(value)}`),
    ]),
  ]);
}

/** A value in one line, cut where it is long. */
function brief(value: unknown): string {
  if (value instanceof Uint8Array) return `${count(value.length)} bytes`;
  const size = ArrayBuffer.isView(value) && "length" in value ? (value.length as number) : undefined;
  const text =
    typeof value === "bigint" ? `${value}` : (JSON.stringify(value, (_, item) => plain(item)) ?? "null");
  if (text.length <= shown) return text;
  return `${text.slice(0, shown)}…${size === undefined ? "" : ` (${count(size)} numbers)`}`;
}
