import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Batch,
  StreamingDataset,
  type StreamingDatasetOptions,
  type TableLocation,
} from "../../index.ts";
import type { Output } from "../terminal/output.ts";
import type { Stretch, Throughput } from "./data.ts";

/** How a plan is run. */
export interface RunOptions {
  readonly batchSize: number;
  /** Rows after which it is left. */
  readonly rows: number;
  /** Milliseconds that the consumer has for each batch, as a training step would. */
  readonly consumerMs: number;
}

/** The stretches of time that a run is cut into. */
const stretchesOfRun = 60;
/** Reads in flight, unless somebody says otherwise. */
const readsInFlight = 4;

/** One batch: when it was handed over, and how long what took. */
interface Step {
  readonly end: number;
  readonly rows: number;
  readonly waited: number;
  readonly consumer: number;
  /** Seconds of reads and of transform calls that ended meanwhile, for each that may run side by side. */
  readonly reading: number;
  readonly transforming: number;
}

/** Runs the plan, and notes where the time goes. */
export async function throughputOf(
  location: TableLocation,
  options: StreamingDatasetOptions,
  run: RunOptions,
  output: Output,
): Promise<Throughput> {
  const began = performance.now();
  const now = () => (performance.now() - began) / 1000;
  await using dataset = await StreamingDataset.open(location, options);
  const calls = options.transformParallelism ?? availableParallelism();
  const steps: Step[] = [];
  let [rows, asked, stats] = [0, now(), dataset.stats];
  using progress = output.progress("reading", Math.min(run.rows, dataset.numSamples));
  for await (const batch of dataset.batches(run.batchSize) as AsyncIterable<Batch | readonly unknown[]>) {
    const received = now();
    const size = "numRows" in batch ? batch.numRows : batch.length;
    if (run.consumerMs > 0) await sleep(run.consumerMs);
    const { stats: after } = dataset;
    const end = now();
    steps.push({
      end,
      rows: size,
      waited: received - asked,
      consumer: end - received,
      reading: (after.fetchTime - stats.fetchTime) / readsInFlight,
      transforming: (after.transformTime - stats.transformTime) / calls,
    });
    rows += size;
    [asked, stats] = [end, after];
    progress.update(rows);
    if (rows >= run.rows) break;
  }
  const { fetch } = dataset.stats;
  return {
    rows,
    seconds: asked,
    firstBatchSeconds: (steps[0]?.end ?? 0) - (steps[0]?.consumer ?? 0),
    fetch: fetch === undefined ? "takes" : `${fetch.mode}: ${fetch.reason}`,
    stretches: stretchesOf(steps, asked),
  };
}

/** Stretches of equal time; those in which no batch came are left out. */
function stretchesOf(steps: readonly Step[], seconds: number): Stretch[] {
  const length = seconds / Math.min(stretchesOfRun, Math.max(1, steps.length));
  const groups = new Map<number, Step[]>();
  for (const step of steps) {
    const stretch = Math.min(Math.floor(step.end / length), stretchesOfRun - 1);
    const group = groups.get(stretch);
    if (group === undefined) groups.set(stretch, [step]);
    else group.push(step);
  }
  return [...groups].map(([stretch, group]) => stretchOf(group, stretch, length));
}

function stretchOf(steps: readonly Step[], stretch: number, length: number): Stretch {
  const sum = (of: (step: Step) => number) => steps.reduce((total, step) => total + of(step), 0);
  const [waited, consumer] = [sum((step) => step.waited), sum((step) => step.consumer)];
  const [reading, transforming] = [sum((step) => step.reading), sum((step) => step.transforming)];
  // Who waits, waits for the busier stage: it is blamed by how busy it was.
  const blamed = reading + transforming === 0 ? 0 : transforming / (reading + transforming);
  const spent = Math.max(waited + consumer, Number.EPSILON);
  return {
    at: (stretch + 0.5) * length,
    rowsPerSecond: sum((step) => step.rows) / spent,
    reading: (waited * (1 - blamed)) / spent,
    transforming: (waited * blamed) / spent,
    consumer: consumer / spent,
  };
}
