import type { Command } from "commander";

/** What the help of a subcommand says beside its options. */
export interface Help {
  /** One line, which completions show, too. */
  readonly summary: string;
  readonly details: string;
  /** Command lines without the command itself. */
  readonly examples: readonly string[];
}

/** Columns of help. */
const width = 100;

/** Adds help to a subcommand. */
export function withHelp(command: Command, { summary, details, examples }: Help): Command {
  const lines = examples.map((example) => `  $ lance-loader ${example}`);
  const title = examples.length === 1 ? "Example:" : "Examples:";
  return command
    .description(summary)
    .addHelpText("after", `\n${wrapped(details)}\n\n${title}\n${lines.join("\n")}`);
}

/** A text in lines; its own line breaks stay. */
function wrapped(text: string): string {
  return text
    .split("\n")
    .map((paragraph) => {
      const lines = [""];
      for (const word of paragraph.split(" ")) {
        const line = lines.at(-1) ?? "";
        if (line.length + word.length >= width) lines.push(word);
        else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
      }
      return lines.join("\n");
    })
    .join("\n");
}
