import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** How a program is run. */
export interface RunOptions {
  /** Flags of Node itself. */
  readonly flags?: readonly string[];
  /** Variables of the environment, beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called for each line that the program prints, with its process. */
  onLine?(line: string, child: ChildProcess): void;
}

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly errors: string;
  /** Milliseconds from its last line (its start, where it printed none) until the process was gone. */
  readonly lingered: number;
}

/**
 * Runs a program in a Node process of its own, to its end.
 *
 * Programs are TypeScript files that import `src/`: Node 24 strips their types, so that what is tested is never an older build than
 * the sources. The loader finds the same addon from `src/` and from `dist/`.
 */
export async function runChild(
  program: URL,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...(options.flags ?? []), fileURLToPath(program), ...args], {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  let errors = "";
  let last = performance.now();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    last = performance.now();
    options.onLine?.(line, child);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const gone = once(child, "exit").then(() => performance.now());
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, lines, errors, lingered: (await gone) - last };
}

/** Runs a program that must end well, and answers what it printed last, as JSON. */
export async function reportOf<Report>(
  program: URL,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Report> {
  const { code, signal, lines, errors } = await runChild(program, args, options);
  if (code !== 0) throw new Error(`${program.pathname} ended with ${signal ?? code}: ${errors}`);
  return JSON.parse(lines.at(-1) ?? "null") as Report;
}
