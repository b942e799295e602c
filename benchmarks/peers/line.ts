import type { EpochCount, LoaderOutput } from "../loaders/job.ts";
import { median } from "../report/statistics.ts";
import type { Contestant } from "./contestant.ts";
import { mixOf } from "./mix.ts";

/** What one run of a contestant came to. */
export interface Run {
  readonly rowsPerSecond: number;
  readonly firstBatchSeconds: number;
  readonly cpuSeconds: number;
  /** The most memory of the process, and how much of it came after the start. */
  readonly peakBytes: number;
  readonly addedBytes: number;
  readonly mix: number;
  /** The load average of the machine, over a minute, when the run began. */
  readonly load: number;
}

/** All runs of a contestant on a workload. */
export interface Line {
  readonly workload: string;
  readonly contestant: string;
  readonly title: string;
  readonly kind: Contestant["kind"];
  readonly decoded: boolean;
  readonly runs: readonly Run[];
}

/** The part of a run that counts for a contestant. */
export function runOf(
  { part = "whole" }: Contestant,
  { epochs, startBytes, peakBytes }: LoaderOutput,
  batchSize: number,
  load: number,
): Run {
  const [first, ...later] = epochs as [EpochCount, ...EpochCount[]];
  const counted = part === "later" ? later : [first];
  const rate = (epoch: EpochCount) =>
    part === "rest"
      ? (epoch.rows - epoch.firstBatchRows) / (epoch.seconds - epoch.firstBatchSeconds)
      : epoch.rows / epoch.seconds;
  return {
    rowsPerSecond: median(counted.map(rate)),
    firstBatchSeconds: median(counted.map((epoch) => epoch.firstBatchSeconds)),
    cpuSeconds: median(counted.map((epoch) => epoch.cpuSeconds)),
    peakBytes,
    addedBytes: peakBytes - startBytes,
    mix: median(counted.map((epoch) => mixOf(epoch, batchSize))),
    load,
  };
}

/** The median over a line's runs. */
export function medianOf(line: Line, value: keyof Run): number {
  return median(line.runs.map((run) => run[value]));
}
