import { setImmediate } from "node:timers/promises";

/** Collects all garbage and lets finalizers run, some of which wait for a turn of the event loop. Needs `--expose-gc`. */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await setImmediate();
  }
}
