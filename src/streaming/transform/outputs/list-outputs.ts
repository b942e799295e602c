import type { Outputs } from "./outputs.ts";

/** An array of outputs, of any kind. */
export class ListOutputs implements Outputs {
  readonly form = "an array";
  readonly #samples: readonly unknown[];

  constructor(samples: readonly unknown[]) {
    this.#samples = samples;
  }

  get numRows(): number {
    return this.#samples.length;
  }

  slice(start: number, end: number): ListOutputs {
    return new ListOutputs(this.#samples.slice(start, end));
  }

  join(others: readonly ListOutputs[]): ListOutputs {
    return new ListOutputs(this.#samples.concat(...others.map((other) => other.#samples)));
  }

  rows(): readonly unknown[] {
    return this.#samples;
  }

  value(): readonly unknown[] {
    return this.#samples;
  }
}
