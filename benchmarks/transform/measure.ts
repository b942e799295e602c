import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { Contestant, Epoch } from "./contestants.ts";

/** An epoch, measured. */
export interface Measured extends Epoch {
  readonly seconds: number;
  /** Processor seconds of all threads of the process. */
  readonly cpu: number;
  /** How much later than due the main thread's timers came, in milliseconds. */
  readonly delay: { readonly p50: number; readonly p99: number; readonly most: number };
}

/** The timer by which the delay of the event loop is measured, in milliseconds. */
const resolution = 1;

/** Runs an epoch and looks at the clock, the processors and the event loop. */
export async function measure({ epoch }: Contestant): Promise<Measured> {
  // What the run before has left to do is not this one's.
  await setTimeout(50);
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  const before = process.cpuUsage();
  const start = performance.now();
  const done = await epoch();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  // A timer that is due while the main thread is held comes after it.
  await setTimeout(2 * resolution);
  histogram.disable();
  const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution);
  const delay = {
    p50: beyond(histogram.percentile(50)),
    p99: beyond(histogram.percentile(99)),
    most: beyond(histogram.max),
  };
  return { ...done, seconds, cpu: (user + system) / 1e6, delay };
}
