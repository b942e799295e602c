import { Command } from "commander";
import { describeTable, type StreamingDatasetOptions, type TableLocation } from "../../index.ts";
import { type Help, withHelp } from "../options/help.ts";
import { type PlanOptions, planOptionsOf, withPlan } from "../options/plan.ts";
import { type ReadOptions, readOptionsOf, withRead, withTransform } from "../options/read.ts";
import { locationOf, versionOf, withTable } from "../options/table.ts";
import { action, type Run } from "../run.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { bytes, count, number, pairs, seconds, table } from "../terminal/text.ts";
import { ErrorKinds } from "./error-kinds.ts";
import { RowIdSet } from "./row-id-set.ts";
import { type RankResult, type RankRun, runRank } from "./run-rank.ts";
import { type Summary, summaryOf } from "./summary.ts";

type CheckOptions = PlanOptions & ReadOptions;

const help: Help = {
  summary: "runs a plan without training",
  details:
    "Runs one epoch, of all ranks one after the other or of --rank, and checks that each " +
    "row of the plan comes once and at its place. With --transform it tells which rows " +
    "fail and why, by kind. Tells the speed of both. Exit code 1 where a row is missing, " +
    "repeated or out of order, or a transform fails.",
  examples: [
    "check data/train.lance --world-size 4 --num-splits 8",
    "check data/photos.lance --transform ./decode.js --batch-size 64",
  ],
};

/** `lance-loader check`. */
export function checkCommand(): Command {
  return withHelp(withTransform(withRead(withPlan(withTable(new Command("check"))))), help).action(
    action(check),
  );
}

async function check({ args, options, output, signal }: Run<CheckOptions>): Promise<ExitCode> {
  const [uri = ""] = args;
  const location = locationOf(uri, options);
  const errors = options.transform === undefined ? undefined : new ErrorKinds();
  const opened: StreamingDatasetOptions = {
    ...(await planOptionsOf(uri, options)),
    ...readOptionsOf(options),
    signal,
    ...(errors && { onTransformError: errors.add }),
  };
  const pinned = await pin(location, options, opened);
  const seen = new RowIdSet();
  const common = { location, batchSize: options.batchSize, errors, seen, output };
  const results = await runRanks(common, pinned);
  const result = summaryOf(results, seen.size, errors?.list ?? [], options.permutation === undefined);
  output.result({ ok: result.faults.length === 0, ...result, ranks: results }, () => lines(result, results));
  return result.faults.length === 0 ? exitCodes.done : exitCodes.differs;
}

/** Runs all ranks one after the other, or the one that is asked for. */
async function runRanks(
  common: Omit<RankRun, "options">,
  options: StreamingDatasetOptions,
): Promise<RankResult[]> {
  const { worldSize = 1, rank } = options;
  const ranks = rank === undefined ? Array.from({ length: worldSize }, (_, each) => each) : [rank];
  const results: RankResult[] = [];
  for (const each of ranks) results.push(await runRank({ ...common, options: { ...options, rank: each } }));
  return results;
}

/** The same options at a version that stays, and with the row ids beside the columns, where nothing is transformed. */
async function pin(
  location: TableLocation,
  options: CheckOptions,
  opened: StreamingDatasetOptions,
): Promise<StreamingDatasetOptions> {
  const { permutation } = opened;
  const newest = permutation === undefined ? await describeTable(location, versionOf(options)) : undefined;
  const at = { ...opened, ...(newest && { version: newest.version }) };
  if (options.transform !== undefined) return at;
  const all = permutation?.columnNames ?? newest?.schema.fields.map(({ name }) => name) ?? [];
  const columns = (options.columns ?? all).filter((name) => name !== "_rowid");
  return { ...at, columns: [...columns, "_rowid"] };
}

function lines(result: Summary, results: readonly RankResult[]): string[] {
  const told = (value: number | null) => (value === null ? "not known behind a transform" : count(value));
  return [
    ...pairs([
      ["ranks", count(results.length)],
      ["rows of the plan", count(result.planned)],
      ["handed over", count(result.handedOver)],
      ["different rows", told(result.distinct)],
      ["out of order", told(result.outOfOrder)],
      ["left out, transform", `${count(result.skipped)}, and ${count(result.notReached)} at the end`],
      ["dropped by the cut", count(result.dropped)],
      ["speed", `${number(result.rowsPerSecond)} rows/s, ${bytes(result.bytesPerSecond)}/s read`],
      ["first batch", seconds(result.firstBatchSeconds)],
      ["fetch", result.fetch ?? "takes"],
    ]),
    ...(result.transformErrors.length === 0
      ? []
      : [
          "",
          ...table(
            ["failure", "rows", "the first one"],
            result.transformErrors.map(({ kind, rows, example }) => [kind, count(rows), example]),
          ),
        ]),
    "",
    result.faults.length === 0 ? `ok: ${goodIn(result)}` : `not ok: ${result.faults.join("; ")}`,
  ];
}

function goodIn({ outOfOrder }: Summary): string {
  return outOfOrder === null ? "every row was transformed" : "every row once, at its place";
}
