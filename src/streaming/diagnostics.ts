import { channel } from "node:diagnostics_channel";
import type { NativeTable } from "./opened.ts";
import type { StreamingStatistics } from "./statistics.ts";

/** What the channel `lance-loader:window` tells: a read that has finished. */
export interface WindowMessage {
  /** Rows that were read. */
  readonly rows: number;
  /** Their bytes, as they lie in memory. */
  readonly bytes: number;
  /** Seconds that it took. */
  readonly seconds: number;
}

/** What the channel `lance-loader:batch` tells: samples that were handed over. */
export interface BatchMessage {
  /** The epoch. */
  readonly epoch: number;
  /** Samples that were handed over. */
  readonly samples: number;
  /** The statistics of the dataset afterwards. */
  readonly stats: StreamingStatistics;
}

/** What the channel `lance-loader:skip` tells: rows that a transform failed for and that were skipped. */
export interface SkipMessage {
  /** The epoch. */
  readonly epoch: number;
  /** Rows that were skipped. */
  readonly rows: number;
  /** All rows that this dataset has skipped. */
  readonly rowsSkipped: number;
}

const windows = channel("lance-loader:window");
const batches = channel("lance-loader:batch");
const skips = channel("lance-loader:skip");

/** Begins to keep what {@link publishWindows} tells, where somebody listens. */
export function watchWindows(table: NativeTable): void {
  if (windows.hasSubscribers) table.finishedWindows();
}

/** Tells of the reads that have finished since the last call. */
export function publishWindows(table: NativeTable): void {
  if (!windows.hasSubscribers) return;
  for (const window of table.finishedWindows()) windows.publish(window satisfies WindowMessage);
}

/** Tells of samples that were handed over; the message is made only where somebody listens. */
export function publishBatch(message: () => BatchMessage): void {
  if (batches.hasSubscribers) batches.publish(message());
}

/** Tells of rows that were skipped. */
export function publishSkip(message: () => SkipMessage): void {
  if (skips.hasSubscribers) skips.publish(message());
}
