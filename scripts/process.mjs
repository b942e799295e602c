import { spawn } from "node:child_process";
import { constants } from "node:os";

/** A failure that is told in one line, without a stack. */
export class Failure extends Error {}

/**
 * Runs a command to its end, in this process's terminal.
 *
 * A command never outlives the task that started it: a request to end this process is passed on (but SIGINT, which a terminal sends
 * to both), and when this process loses its parent, the command is ended, too. npm's shell passes nothing on.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean, onOutput?: (chunk: string) => void }} [options]
 *   `onOutput` is given what the command prints on stdout, which is still shown.
 * @returns {Promise<number>} The exit code; 128 and the signal's number when a signal ended it, 127 when it could not start.
 */
export function run(command, args, options = {}) {
  const { onOutput, ...rest } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ["inherit", onOutput ? "pipe" : "inherit", "inherit"],
      ...rest,
    });
    child.stdout?.setEncoding("utf8").on("data", (chunk) => {
      process.stdout.write(chunk);
      onOutput?.(chunk);
    });
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      if (signal !== "SIGINT") child.kill(signal);
    };
    const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
    for (const signal of signals) process.on(signal, forward);
    const parent = process.ppid;
    const watch = setInterval(() => process.ppid === parent || child.kill(), 500);
    /** @param {number} code */
    const finish = (code) => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    };
    child.on("error", () => finish(127));
    child.on("close", (code, signal) => finish(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
}

/**
 * Runs a program's main function: its result is the exit code, and a {@link Failure} is told in one line.
 *
 * @param {() => Promise<number>} main
 */
export async function exitWith(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`lance-loader: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/**
 * One short line about what is being done, on stderr.
 *
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`lance-loader: ${text}\n`);
}
