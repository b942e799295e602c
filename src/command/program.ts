import tab from "@bomb.sh/tab/commander";
import { Command } from "commander";
import { benchCommand } from "./bench.ts";
import { checkCommand } from "./check/command.ts";
import { inspectCommand } from "./inspect.ts";
import { permuteCommand } from "./permute.ts";
import { previewCommand } from "./preview.ts";
import { reportCommand } from "./report/command.ts";
import { simulateCommand } from "./simulate/command.ts";
import { stateCommand } from "./state.ts";

/** The command with all its subcommands; it throws where commander would end the process. */
export function program(version: string): Command {
  const command = new Command("lance-loader")
    .description(
      "Looks at Lance tables as a training sees them: what a row is, which rows come when, and how fast.",
    )
    .version(version)
    .option("--json", "the result as JSON, and an error as JSON on standard error")
    .addCommand(inspectCommand())
    .addCommand(permuteCommand())
    .addCommand(previewCommand())
    .addCommand(checkCommand())
    .addCommand(benchCommand())
    .addCommand(stateCommand())
    .addCommand(reportCommand())
    .addCommand(simulateCommand())
    .addHelpText("after", help);
  tab(command, { completionCommandName: "completion" });
  everyCommand(command, (one) =>
    one
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .configureHelp({ showGlobalOptions: true }),
  );
  return command;
}

const help = `
Exit codes:
  0   done, and nothing is amiss
  1   done, and what was asked about is not so: a check found a fault, states differ
  2   the command line can't be followed
  3   the work failed: no such table, a read failed
  70  a defect of the command
  130 ended by Ctrl-C

Completion:
  $ source <(lance-loader completion bash)   # or zsh; see lance-loader completion --help

Results go to standard output, everything else to standard error. Progress is a bar on a terminal, else a line
every ten seconds.`;

function everyCommand(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const inner of command.commands) everyCommand(inner, change);
}
