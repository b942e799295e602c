import { native } from "../../tables/native-errors.ts";
import type { EpochRows, Progress } from "../progress.ts";
import { EpochEnd } from "./epoch-end.ts";
import type { ResolvedTransform } from "./options.ts";
import { PlanOrder } from "./plan-order.ts";
import { SplitOrder } from "./split-order.ts";
import { TransformAhead } from "./transform-ahead.ts";
import { TransformFeed } from "./transform-feed.ts";

/** How samples are wanted. */
export interface Wanted {
  /** Samples to give at once. */
  readonly batchRows: number;
  /** Whether fewer are given only at the end. */
  readonly whole: boolean;
  /** Whether a last batch with fewer is left out. */
  readonly dropLast: boolean;
  /** Threads of a module; 0 for `transformParallelism`. */
  readonly numWorkers: number;
}

/** Rows that a transform gets where less is asked for, if the caller did not say. */
const leastRows = 32;
/** Rows that a transform gets where more is asked for, if the caller did not say. */
const mostRows = 1024;

/** Starts to read and transform what is left of an epoch. */
export function openTransformFeed(
  progress: Progress,
  transform: ResolvedTransform,
  wanted: Wanted,
): TransformFeed {
  const { policy, syncEpochEnd } = transform;
  const numWorkers = wanted.numWorkers || transform.parallelism;
  const batchRows = rowsOfCall(progress, wanted);
  const rows = progress.read(batchRows);
  const { plan, from } = rows;
  const ahead = new TransformAhead({
    runner: transform.startRunner({
      ...rows,
      schema: progress.schema,
      batchRows,
      epoch: progress.epoch,
      numWorkers,
    }),
    queueDepth: transform.queueDepth ?? 2 * numWorkers,
    rerun: policy !== "raise",
    firstRow: (sequence) => from + sequence * batchRows,
    rowIds: (first, count) => native(() => plan.rowIds(first, count)),
    took: (seconds) => progress.countTransform(seconds),
  });
  const mayCut = policy !== "raise" || syncEpochEnd !== undefined;
  const splits = mayCut ? splitOrder(progress, rows) : undefined;
  return new TransformFeed({
    ...wanted,
    ahead,
    policy,
    splits,
    order: splits ?? new PlanOrder((samples) => progress.commit(samples)),
    end: syncEpochEnd && new EpochEnd(syncEpochEnd, rows.ownedSplits[1] - rows.ownedSplits[0]),
    firstCycle: progress.reached().samples.reduce((least, count) => Math.min(least, count)),
    totalRows: plan.remaining - from,
  });
}

function splitOrder(progress: Progress, { plan, ownedSplits: [start, end] }: EpochRows): SplitOrder {
  const before = progress.countBySplit();
  return new SplitOrder({
    firstSplit: start,
    lengths: native(() => plan.ownedLengths),
    samples: before.samples.slice(start, end),
    positions: before.positions.slice(start, end),
    splits: (from, count) => native(() => plan.splits(from, count)),
    pass: (split, position) => progress.pass(split, position),
    skipped: (rows) => progress.countSkipped(rows),
  });
}

function rowsOfCall(progress: Progress, { batchRows, whole }: Wanted): number {
  const { readBatchSize, ownedSplits } = progress;
  const [start, end] = ownedSplits;
  if (readBatchSize !== undefined) return Math.min(readBatchSize * (end - start), 2 ** 31);
  if (!whole) return leastRows;
  return Math.min(Math.max(1, Math.floor(leastRows / batchRows)) * batchRows, mostRows);
}
