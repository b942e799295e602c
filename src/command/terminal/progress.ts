import cliProgress from "cli-progress";
import { count } from "./text.ts";

/** Milliseconds between two lines where there is no terminal. */
const lineEvery = 10_000;

/** What is told of something that takes long. */
export interface ProgressOptions {
  readonly label: string;
  readonly total: number;
  /** What is counted. */
  readonly unit: string;
  /** Whether lines are printed where there is no terminal. */
  readonly lines: boolean;
}

/** How far something is that takes long: a bar on a terminal, else a line now and then, on standard error. */
export class Progress implements Disposable {
  readonly #options: ProgressOptions;
  readonly #bar: cliProgress.SingleBar | undefined;
  #told = performance.now();

  constructor(options: ProgressOptions) {
    const { label, total, unit } = options;
    this.#options = options;
    if (!process.stderr.isTTY) return;
    this.#bar = new cliProgress.SingleBar(
      {
        format: `${label} {bar} {percentage}% {value} of {total} ${unit}, {eta_formatted} left`,
        stream: process.stderr,
        clearOnComplete: true,
        // Signals are not its business, and a killed process leaves the terminal as it was.
        gracefulExit: false,
        hideCursor: false,
        formatValue: (value, _, type) =>
          type === "value" || type === "total" ? count(value) : String(value),
      },
      cliProgress.Presets.shades_classic,
    );
    this.#bar.start(total, 0);
  }

  /** Tells that `done` of the total are done. */
  update(done: number): void {
    this.#bar?.update(done);
    const { label, total, unit, lines } = this.#options;
    if (this.#bar !== undefined || !lines || performance.now() - this.#told < lineEvery) return;
    this.#told = performance.now();
    process.stderr.write(`${label}: ${count(done)} of ${count(total)} ${unit}\n`);
  }

  /** Takes the bar away. */
  [Symbol.dispose](): void {
    this.#bar?.stop();
  }
}
