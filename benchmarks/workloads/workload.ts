import type { Table } from "apache-arrow";

/** A table that is measured: its rows are a function of their number, so that every epoch can be checked. */
export interface Workload {
  readonly name: string;
  /** What the rows are, for readers of results. */
  readonly description: string;
  readonly rows: number;
  /** Rows of one chunk that is written at a time. */
  readonly chunkRows: number;
  /** The rows from `start` to `end - 1`. The first column is `id`, the row's number. */
  chunk(start: number, end: number): Table;
}

/** A workload as it lies on disk. */
export interface StoredWorkload {
  readonly name: string;
  readonly description: string;
  readonly rows: number;
  /** The folder of the Lance table. */
  readonly table: string;
  /** The file of the Arrow stream with the same rows. */
  readonly arrow: string;
  /** Bytes of the rows in memory, without Arrow's padding. */
  readonly bytes: number;
  /** What an epoch must come to, as `Tally` counts it. */
  readonly touched: number;
}
