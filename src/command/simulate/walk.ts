import { SampleOrder, type SampleOrderOptions } from "../../index.ts";
import { requestsFor } from "../requests.ts";

/** One set-up whose epoch is walked. */
export interface Setting {
  /** Rows of the table. */
  readonly rows: number;
  /** Processes that share it. */
  readonly ranks: number;
  readonly numSplits: number;
  /** Rows that the shuffle keeps together. */
  readonly clump: number;
  /** Rows of a batch of one rank. */
  readonly batchSize: number;
  /** The most rows of a window. */
  readonly windowRows: number;
  /** Rows between two others up to which both come by one request. */
  readonly gapRows: number;
}

/** What parts of an epoch are like, as the plan has them. */
export interface Walk {
  /** Samples of one rank's epoch. */
  readonly samplesPerRank: number;
  /** Samples that were walked: windows at the beginning, in the middle and at the end, of the first, the middle and the last rank. */
  readonly walkedSamples: number;
  readonly walkedRanks: readonly number[];
  /** Whether no row came twice among them. */
  readonly distinct: boolean;
  /** Requests of one column, and rows that are read for it, for each sample of a window. */
  readonly requestsPerSample: number;
  readonly rowsReadPerSample: number;
  /** Requests of one column for the first batch. */
  readonly firstRequests: number;
  /** Measured: seconds of one sample's place in the order. */
  readonly secondsPerSample: number;
  /** Measured: seconds to make the plan anew from uneven progress, and to find its first batch. */
  readonly resumeSeconds: number;
  /** Bytes of a state as JSON, which each rank saves. */
  readonly stateBytes: number;
}

/** Walks parts of an epoch. */
export function walk(setting: Setting): Walk {
  const { rows, ranks, numSplits, clump } = setting;
  const walkedRanks = [...new Set([0, Math.floor(ranks / 2), ranks - 1])];
  const order: SampleOrderOptions = {
    numRows: rows,
    numSplits,
    shuffleClumpSize: clump,
    worldSize: ranks,
  };
  const totals = { requests: 0, rowsRead: 0, samples: 0, seconds: 0, firstRequests: 0 };
  const seen: BigUint64Array[] = [];
  let samplesPerRank = 0;
  for (const rank of walkedRanks) {
    const plan = new SampleOrder({ ...order, rank });
    samplesPerRank = plan.numSamples;
    const windowRows = Math.min(setting.windowRows, samplesPerRank);
    const first = requestsFor(plan.rows(0, setting.batchSize), setting.gapRows);
    totals.firstRequests = Math.max(totals.firstRequests, first.requests);
    for (const from of placesOf(samplesPerRank, windowRows)) {
      const began = performance.now();
      const window = plan.rows(from, windowRows);
      totals.seconds += (performance.now() - began) / 1000;
      const { requests, rowsRead } = requestsFor(window, setting.gapRows);
      totals.requests += requests;
      totals.rowsRead += rowsRead;
      totals.samples += window.length;
      seen.push(window);
    }
  }
  return {
    samplesPerRank,
    walkedSamples: totals.samples,
    walkedRanks,
    distinct: areDistinct(seen),
    requestsPerSample: totals.requests / totals.samples,
    rowsReadPerSample: totals.rowsRead / totals.samples,
    firstRequests: totals.firstRequests,
    secondsPerSample: totals.seconds / totals.samples,
    ...resume(order, setting.batchSize, samplesPerRank),
  };
}

/** Where windows begin that do not overlap: at the beginning, in the middle, at the end. */
function placesOf(samples: number, window: number): number[] {
  if (samples < 3 * window) return [0];
  return [0, Math.floor((samples - window) / 2), samples - window];
}

function areDistinct(windows: readonly BigUint64Array[]): boolean {
  const all = new BigUint64Array(windows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const window of windows) {
    all.set(window, at);
    at += window.length;
  }
  all.sort();
  return all.every((row, place) => place === 0 || row !== all[place - 1]);
}

/** What it takes to go on from a state in the middle of the epoch, with splits that stand up to two samples apart. */
function resume(order: SampleOrderOptions, batchSize: number, samplesPerRank: number) {
  const { numSplits = 1, worldSize = 1 } = order;
  const half = Math.floor((samplesPerRank * worldSize) / numSplits / 2);
  const samplesConsumed = Array.from({ length: numSplits }, (_, split) => Math.max(0, half - (split % 3)));
  const began = performance.now();
  const plan = new SampleOrder({ ...order, rank: 0, samplesConsumed });
  plan.rows(0, batchSize);
  const resumeSeconds = (performance.now() - began) / 1000;
  // A state has two such lists; the rest of it is small.
  return { resumeSeconds, stateBytes: 2 * JSON.stringify(samplesConsumed).length + 600 };
}
