import { styleText } from "node:util";
import type { Failure } from "./failure.ts";
import { toJson } from "./json.ts";
import { Progress } from "./progress.ts";

/** Where a subcommand's result goes: one JSON value, or lines of text, on standard output; everything else to standard error. */
export class Output {
  readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  /** Prints the result. */
  result(value: unknown, lines: () => readonly string[]): void {
    this.text(this.json ? toJson(value) : lines().join("\n"));
  }

  /** Prints a text as it is: a script, a page. */
  text(text: string): void {
    process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** A heading over lines of text: bold, where the terminal can. */
  heading(text: string): string {
    return styleText("bold", text, { stream: process.stdout });
  }

  /** Begins to tell how far something is: a bar on a terminal, else a line now and then, but none for programs. */
  progress(label: string, total: number, unit = "rows"): Progress {
    return new Progress({ label, total, unit, lines: !this.json });
  }

  /** Tells something beside the result. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Tells why there is no result, with `--json` as JSON, too. */
  failure({ code, message }: Failure): void {
    if (this.json) process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
    else process.stderr.write(`lance-loader: ${code}: ${message}\n`);
  }
}
