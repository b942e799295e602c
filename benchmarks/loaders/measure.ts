import { readFileSync, writeFileSync } from "node:fs";
import { argv, cpuUsage, memoryUsage, resourceUsage, stdout } from "node:process";
import type { EpochCount, Job, LoaderOutput } from "./job.ts";
import { type ColumnValues, Tally } from "./tally.ts";

/** A batch as a loader delivers it. */
export interface CountedBatch {
  readonly ids: BigInt64Array;
  /** All other columns. */
  readonly columns: readonly ColumnValues[];
}

/** Runs a loader for the epochs that its job asks for, and prints what was counted and timed. `epoch` opens everything itself. */
export async function measure(epoch: (job: Job) => AsyncIterable<CountedBatch>): Promise<void> {
  const job = JSON.parse(argv[2] ?? "") as Job;
  const startBytes = forgetPeak();
  const epochs: EpochCount[] = [];
  for (let index = 0; index < job.epochs; index++) epochs.push(await countEpoch(job, epoch));
  const output: LoaderOutput = { epochs, startBytes, peakBytes: peakBytes() };
  stdout.write(`${JSON.stringify(output)}\n`);
}

async function countEpoch(job: Job, epoch: (job: Job) => AsyncIterable<CountedBatch>): Promise<EpochCount> {
  const started = performance.now();
  const cpuStarted = cpuUsage();
  const tally = new Tally(job.rows);
  let firstBatchSeconds = 0;
  let firstBatchRows = 0;
  for await (const { ids, columns } of epoch(job)) {
    if (firstBatchRows === 0) {
      firstBatchSeconds = (performance.now() - started) / 1000;
      firstBatchRows = ids.length;
    }
    tally.add(ids, columns);
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = cpuUsage(cpuStarted);
  return { ...tally.count, seconds, cpuSeconds: (user + system) / 1e6, firstBatchSeconds, firstBatchRows };
}

/** Memory in use. On Linux the peak starts again from it, so that imports don't count. */
function forgetPeak(): number {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    return peakBytes();
  }
  return memoryUsage.rss();
}

function peakBytes(): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return Number(kilobytes) * 1024;
  } catch {
    return resourceUsage().maxRSS * 1024;
  }
}
