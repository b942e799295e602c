import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { Command } from "commander";
import { LanceLoaderError, type StateDict, StreamingDataset } from "../index.ts";
import { action, type Run } from "./run.ts";
import { type ExitCode, exitCodes } from "./terminal/exit-code.ts";
import { failureOf } from "./terminal/failure.ts";
import { toJson } from "./terminal/json.ts";
import { count, pairs, table } from "./terminal/text.ts";

/** `lance-loader state`. */
export function stateCommand(): Command {
  return new Command("state")
    .description("shows, compares and merges saved states")
    .addHelpText("after", "\nWorks on files with what dataset.stateDict() gave, as JSON. No table is needed.")
    .addCommand(
      new Command("show")
        .argument("<file>", "a state as JSON")
        .description("where a state stands, and of which run it is")
        .action(action(show)),
    )
    .addCommand(
      new Command("compare")
        .argument("<one>", "a state as JSON")
        .argument("<other>", "another one")
        .description("what differs, and whether both can be merged; exit code 1 where anything differs")
        .action(action(compare)),
    )
    .addCommand(
      new Command("merge")
        .argument("<files...>", "the states of all ranks as JSON")
        .option("--out <file>", "where the merged state is written (default: standard output)")
        .description("makes one state of those of all ranks, which any number of ranks can load")
        .action(action(merge)),
    );
}

async function show({ args, output }: Run<object>): Promise<void> {
  const [file = ""] = args;
  const state = read(file);
  const samples = perSplit(state, state.samples_consumed_per_split);
  const positions = perSplit(state, state.positions_consumed_per_split ?? state.samples_consumed_per_split);
  const consumed = sum(samples);
  const [leastOfASplit, mostOfASplit] = ends(samples);
  const shown = {
    epoch: state.epoch,
    shuffleSeed: state.shuffle_seed,
    numSplits: state.num_splits,
    samplesConsumed: consumed,
    leastOfASplit,
    mostOfASplit,
    rowsSkipped: sum(positions) - consumed,
    ownedSplits: state.owned_splits ?? null,
    tableVersion: state.table_version ?? null,
    tableBranch: state.table_branch ?? null,
    tableIdentity: state.table_identity ?? null,
    packSequences: state.pack_sequences ?? null,
    mixture: state.mixture !== undefined,
  };
  output.result(shown, () =>
    pairs(
      Object.entries(shown).map(([name, value]) => [
        name,
        typeof value === "number" ? count(value) : JSON.stringify(value),
      ]),
    ),
  );
}

async function compare({ args, output }: Run<object>): Promise<ExitCode> {
  const [one = "", other = ""] = args;
  const states = [read(one), read(other)] as const;
  const names = [...new Set(states.flatMap((state) => Object.keys(state)))].sort() as (keyof StateDict)[];
  const differences = names
    .filter((name) => !isDeepStrictEqual(states[0][name], states[1][name]))
    .map((name) => ({ field: name, one: states[0][name] ?? null, other: states[1][name] ?? null }));
  const why = whyApart(states);
  output.result({ equal: differences.length === 0, mergeable: why === null, why, differences }, () => [
    ...(differences.length === 0
      ? ["The states are equal."]
      : table(
          ["field", "one", "other"],
          differences.map(({ field, one, other }) => [field, brief(one), brief(other)]),
        )),
    why === null ? "They can be merged." : `They can't be merged: ${why}`,
  ]);
  return differences.length === 0 ? exitCodes.done : exitCodes.differs;
}

async function merge({ args, options, output }: Run<{ readonly out?: string }>): Promise<void> {
  const merged = StreamingDataset.mergeStateDicts(args.map(read));
  if (options.out === undefined) {
    output.text(toJson(merged));
    return;
  }
  writeFileSync(options.out, `${JSON.stringify(merged)}\n`);
  const result = { out: options.out, merged: args.length, epoch: merged.epoch };
  output.result(result, () => [
    `${count(args.length)} states of epoch ${merged.epoch} merged into ${options.out}`,
  ]);
}

/** Why states can't be merged; `null` where they can. */
function whyApart(states: readonly StateDict[]): string | null {
  try {
    StreamingDataset.mergeStateDicts(states);
    return null;
  } catch (error) {
    return failureOf(error).message;
  }
}

/** A state from a file, its form checked. */
function read(file: string): StateDict {
  const text = readFileSync(file, "utf8");
  let state: StateDict;
  try {
    state = JSON.parse(text);
  } catch (cause) {
    throw new LanceLoaderError(
      "STATE_INVALID",
      `${file} is no JSON: give a file with what stateDict() gave.`,
      { cause },
    );
  }
  try {
    StreamingDataset.mergeStateDicts([state]);
  } catch (error) {
    // One rank's state need not be enough for a resume.
    if (!(error instanceof LanceLoaderError && error.code === "STATE_MISMATCH")) throw error;
  }
  return state;
}

function perSplit(state: StateDict, progress: readonly number[] | number): readonly number[] {
  return typeof progress === "number" ? new Array<number>(state.num_splits).fill(progress) : progress;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** The least and the most of a list that may be too long to be spread. */
function ends(numbers: readonly number[]): [number, number] {
  const first = numbers[0] ?? 0;
  return numbers.reduce<[number, number]>(
    ([least, most], one) => [Math.min(least, one), Math.max(most, one)],
    [first, first],
  );
}

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
