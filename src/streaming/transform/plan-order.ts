import { Queue } from "../queue.ts";
import type { HandOver } from "./hand-over.ts";
import { joinOutputs } from "./outputs/join-outputs.ts";
import type { Outputs } from "./outputs/outputs.ts";
import type { TransformedBatch } from "./transformed-batch.ts";

/** Hands over outputs in the order of the plan: where no row is skipped, that is the order of samples. */
export class PlanOrder implements HandOver {
  readonly #commit: (samples: number) => void;
  readonly #waiting = new Queue<Outputs>();
  /** What is left of the batch that was begun. */
  #begun: Outputs | undefined;
  #readyRows = 0;

  /** @param commit - counts samples of the plan as handed over. */
  constructor(commit: (samples: number) => void) {
    this.#commit = commit;
  }

  get readyRows(): number {
    return this.#readyRows;
  }

  get waitingRows(): number {
    return this.#readyRows;
  }

  get heldBatches(): number {
    return this.#waiting.length + (this.#begun === undefined ? 0 : 1);
  }

  add({ outputs }: TransformedBatch): void {
    if (outputs === undefined) return;
    this.#waiting.push(outputs);
    this.#readyRows += outputs.numRows;
  }

  take(rows: number): Outputs {
    const pieces: Outputs[] = [];
    for (let left = rows; left > 0; ) {
      const next = this.#begun ?? (this.#waiting.shift() as Outputs);
      const taken = Math.min(left, next.numRows);
      this.#begun = taken < next.numRows ? next.slice(taken, next.numRows) : undefined;
      pieces.push(taken < next.numRows ? next.slice(0, taken) : next);
      left -= taken;
    }
    this.#readyRows -= rows;
    return joinOutputs(pieces);
  }

  commit(samples: number): void {
    this.#commit(samples);
  }

  finish(): void {}
}
