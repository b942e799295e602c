import { SingleBar } from "cli-progress";

/** The progress of one epoch: a bar on a terminal, and the figures for the line that ends it. */
export class Progress {
  readonly #bar: SingleBar;
  readonly #start = performance.now();
  #rows = 0;
  #steps = 0;
  #loss = 0;

  /** Starts at `done` of `total` rows. */
  constructor(title: string, total: number, done: number) {
    const format = `${title} [{bar}] {percentage}%  loss {loss}  {speed}`;
    this.#bar = new SingleBar({ format, hideCursor: true, clearOnComplete: true });
    this.#bar.start(total, done, this.#figures());
  }

  /** Counts a batch. */
  add(rows: number, loss: number): void {
    this.#rows += rows;
    this.#steps += 1;
    this.#loss += loss;
    this.#bar.increment(rows, this.#figures());
  }

  /** Takes the bar away and tells the figures. */
  end(): { loss: string; speed: string } {
    this.#bar.stop();
    return this.#figures();
  }

  #figures(): { loss: string; speed: string } {
    const seconds = (performance.now() - this.#start) / 1000;
    const rate = Math.round(this.#rows / Math.max(seconds, 0.001));
    return {
      loss: (this.#loss / Math.max(this.#steps, 1)).toFixed(4),
      speed: `${rate.toLocaleString("en")} rows/s`,
    };
  }
}
