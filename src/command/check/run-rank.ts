import {
  type Batch,
  StreamingDataset,
  type StreamingDatasetOptions,
  type TableLocation,
} from "../../index.ts";
import type { Output } from "../terminal/output.ts";
import type { ErrorKinds } from "./error-kinds.ts";
import type { RowIdSet } from "./row-id-set.ts";

/** What is checked of one rank's epoch. */
export interface RankRun {
  readonly location: TableLocation;
  readonly options: StreamingDatasetOptions;
  readonly batchSize: number;
  /** Where rows are transformed: nothing of their order is known then. */
  readonly errors: ErrorKinds | undefined;
  readonly seen: RowIdSet;
  readonly output: Output;
}

/** What a rank was handed. */
export interface RankResult {
  readonly planned: number;
  readonly handedOver: number;
  /** Rows that stood at another place than the plan says; `null` where that can't be told. */
  readonly outOfOrder: number | null;
  /** Rows that had been handed over before. */
  readonly repeated: number | null;
  readonly skipped: number;
  readonly dropped: number;
  readonly seconds: number;
  readonly firstBatchSeconds: number;
  readonly bytesLoaded: number;
  readonly fetch: string | null;
}

/** Runs the epoch of one rank, and looks at each batch. */
export async function runRank(run: RankRun): Promise<RankResult> {
  const { errors, seen } = run;
  const began = performance.now();
  const since = () => (performance.now() - began) / 1000;
  await using dataset = await StreamingDataset.open(run.location, run.options);
  const totals = { handedOver: 0, outOfOrder: 0, repeated: 0 };
  let firstBatchSeconds = 0;
  const { rank = 0, worldSize = 1 } = run.options;
  using progress = run.output.progress(`checking rank ${rank}`, dataset.numSamples);
  for await (const batch of dataset.batches(run.batchSize)) {
    if (totals.handedOver === 0) firstBatchSeconds = since();
    if (errors === undefined) {
      const ids = new BigUint64Array(batch.column("_rowid") as BigUint64Array);
      totals.outOfOrder += differing(ids, plannedIds(dataset, worldSize, totals.handedOver, ids.length));
      totals.repeated += seen.add(ids);
    }
    totals.handedOver += rowsOf(batch);
    progress.update(totals.handedOver);
  }
  const { stats } = dataset;
  const known = errors === undefined;
  return {
    planned: dataset.numSamples,
    handedOver: totals.handedOver,
    outOfOrder: known ? totals.outOfOrder : null,
    repeated: known ? totals.repeated : null,
    skipped: stats.rowsSkipped,
    dropped: dataset.numDropped,
    seconds: since(),
    firstBatchSeconds,
    bytesLoaded: stats.bytesLoaded,
    fetch: stats.fetch ? `${stats.fetch.mode}: ${stats.fetch.reason}` : null,
  };
}

/** With a transform, a batch may be a list of what it made. */
function rowsOf(batch: Batch | readonly unknown[]): number {
  return "numRows" in batch ? batch.numRows : batch.length;
}

/** The row ids that the plan has from a place of this rank's epoch on. */
function plannedIds(
  dataset: StreamingDataset,
  worldSize: number,
  from: number,
  rows: number,
): BigUint64Array {
  const cycle = dataset.numSplits / worldSize;
  const first = Math.floor(from / cycle);
  const ids = dataset.plan.rowIds(first, Math.ceil((from + rows) / cycle), { ranks: "own" });
  return ids.subarray(from - first * cycle, from - first * cycle + rows);
}

function differing(ids: BigUint64Array, planned: BigUint64Array): number {
  return ids.reduce((sum, id, at) => sum + (id === planned[at] ? 0 : 1), 0);
}
