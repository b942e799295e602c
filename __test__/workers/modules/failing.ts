// Fails, in the way that its URL names with `how`, when a batch has the row whose id it names with `at`.
import { setTimeout } from "node:timers/promises";
import type { Batch } from "../../../src/index.ts";

const endings: Readonly<Record<string, () => unknown>> = {
  throws_an_error() {
    throw new RangeError("the transform failed");
  },
  throws_undefined() {
    throw undefined;
  },
  rejects: () => Promise.reject(new RangeError("the transform failed")),
  exits: () => process.exit(3),
  throws_elsewhere: async () => {
    void Promise.reject(new RangeError("nobody caught this"));
    await setTimeout(10_000);
  },
  runs_out_of_memory() {
    // By small steps, between which V8 can end the thread: where one step is too large it ends the process.
    let kept: object | undefined;
    for (let step = 0; ; step++) kept = { kept, step };
  },
  never_settles: () => new Promise(() => undefined),
  never_returns() {
    for (;;);
  },
  gives_a_function: () => [() => 1],
  gives_too_few: () => [1],
};

/** A transform that fails in the way of `how` at the row with the id `at`, and otherwise gives batches as they are. */
export function failsBy(how: string, at: number): (batch: Batch) => Promise<Batch> {
  return async (batch) => {
    const fails = Array.from(batch.column("id"), Number).includes(at);
    return ((fails && (await endings[how]?.())) || batch) as Batch;
  };
}

const { searchParams } = new URL(import.meta.url);
export default failsBy(searchParams.get("how") ?? "", Number(searchParams.get("at")));
