/** What a dataset has read and where its rows are: a reading, exact at the moment it was taken. */
export interface StreamingStatistics {
  /** Bytes of rows that were read from the table, as they lie in memory, over all epochs. */
  readonly bytesLoaded: number;
  /** Seconds that reads took, summed over reads that ran side by side, over all epochs. */
  readonly fetchTime: number;
  /** Rows that are being read or wait to be gathered; 0 when nothing iterates. */
  readonly rawQueueDepth: number;
  /** Rows that are gathered and wait for the consumer; 0 when nothing iterates. */
  readonly prefetchQueueDepth: number;
  /** Rows of the epoch of which no read was started yet; 0 when nothing iterates. */
  readonly unscannedRows: number;
  /** Rows that this dataset has handed over, over all epochs; not those that a state had counted before. */
  readonly consumedRows: number;
  /** Bytes of the memory budget that are in use, by all datasets that share it. */
  readonly budgetUsed: number;
}
