/** What a loader is asked for: its only argument, as JSON. */
export interface Job {
  /** The folder of the Lance table. */
  readonly table: string;
  /** The file with the same rows as an Arrow IPC stream. */
  readonly arrow: string;
  /** Rows of the table. */
  readonly rows: number;
  /** Rows of a batch; the last one may be short. */
  readonly batchSize: number;
  /** Epochs to read, one after the other, in one process. */
  readonly epochs: number;
  /** Whether text is delivered as strings of the language instead of Arrow's. */
  readonly decoded: boolean;
  /** Settings of the loader itself. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** One epoch, as its loader found and timed it. */
export interface EpochCount {
  readonly rows: number;
  readonly batches: number;
  /** Different ids: equal to `rows` where each came once. */
  readonly distinct: number;
  readonly idSum: number;
  /** The sum of what was read of every other column of every row: see `touch`. */
  readonly touched: number;
  /** The sum over the batches of the standard deviation of their ids. */
  readonly spread: number;
  /** From opening the table (in later epochs: from asking for the first batch) to having counted the last batch. */
  readonly seconds: number;
  /** Processor time of the process in these seconds. */
  readonly cpuSeconds: number;
  /** Until the first batch was there, and its rows. */
  readonly firstBatchSeconds: number;
  readonly firstBatchRows: number;
}

/** What a loader prints: one line of JSON. */
export interface LoaderOutput {
  readonly epochs: readonly EpochCount[];
  /** Memory of the process (resident set) before the table was opened, everything imported. */
  readonly startBytes: number;
  /** The most memory since then. */
  readonly peakBytes: number;
}
