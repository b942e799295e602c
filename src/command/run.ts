import type { Command } from "commander";
import type { ExitCode } from "./terminal/exit-code.ts";
import { exitCodes } from "./terminal/exit-code.ts";
import { failureOf } from "./terminal/failure.ts";
import { Output } from "./terminal/output.ts";

/** A subcommand at work. */
export interface Run<Options> {
  /** What stands on the command line behind the subcommand, options aside. */
  readonly args: readonly string[];
  readonly options: Options;
  readonly output: Output;
  /** Aborts at the first Ctrl-C; a second one ends the process. */
  readonly signal: AbortSignal;
}

/** Makes the action of a subcommand of its work, which gives the exit code; 0 where it gives none. */
export function action<Options>(
  work: (run: Run<Options>) => Promise<ExitCode | undefined> | Promise<void>,
): (this: Command) => Promise<void> {
  return async function (this: Command) {
    const { json = false, ...options } = this.optsWithGlobals<Options & { json?: boolean }>();
    const output = new Output(json);
    const interrupt = new AbortController();
    const onInterrupt = () => interrupt.abort();
    const onWarning = ({ message }: Error) => output.note(`lance-loader: warning: ${message}`);
    process.once("SIGINT", onInterrupt).removeAllListeners("warning").on("warning", onWarning);
    try {
      const args = this.processedArgs.flat().filter((arg) => arg !== undefined);
      const run = { args, options: options as Options, output, signal: interrupt.signal };
      process.exitCode = (await work(run)) ?? exitCodes.done;
    } catch (error) {
      const failure = failureOf(error);
      output.failure(failure);
      process.exitCode = failure.exitCode;
    } finally {
      process.off("SIGINT", onInterrupt);
    }
  };
}
