import type { FetchMode } from "./options.ts";

/** What packing has made of the documents of this rank, since the start of an epoch. */
export interface PackingStatistics {
  /** Blocks that were handed over. */
  readonly blocks: number;
  /** Real tokens over all tokens of these blocks, 0 to 1; 1 where there are none. */
  readonly utilization: number;
  /** Tokens of documents in them, each `eosId` included. */
  readonly realTokens: number;
  /** Tokens of padding in them. */
  readonly padTokens: number;
  /** Documents that were consumed: begun, or with `packing: "bestFit"` handed over to their last token. */
  readonly documentsConsumed: number;
  /** Documents longer than a block that were cut. */
  readonly documentsSplit: number;
  /** Documents longer than a block that were left out. */
  readonly documentsDropped: number;
  /** Documents that were not consumed. */
  readonly documentsLeftOver: number;
  /** Tokens of begun documents that the budget cut off; 0 for splits that have blocks to give. */
  readonly tokensLeftOver: number;
}

/** How rows are fetched. */
export interface FetchStatistics {
  /** The way that is taken. */
  readonly mode: Exclude<FetchMode, "auto">;
  /** For people: the numbers that decided, or what went wrong with another way. */
  readonly reason: string;
}

/**
 * What a dataset has read and where its rows are: a reading, exact at the moment it was taken.
 *
 * In packing, rows are documents until they are packed, and blocks from there on.
 */
export interface StreamingStatistics {
  /** Bytes of rows that were read from the table, as they lie in memory, over all epochs. */
  readonly bytesLoaded: number;
  /** Seconds that reads took, summed over reads that ran side by side, over all epochs. */
  readonly fetchTime: number;
  /** Seconds that calls of the transform took, summed over calls that ran side by side, over all epochs. */
  readonly transformTime: number;
  /** Rows that are being read, wait to be gathered, or with a transform for its end; 0 when nothing iterates. */
  readonly rawQueueDepth: number;
  /** Rows that are gathered, or with a transform its outputs, and wait for the consumer; 0 when nothing iterates. */
  readonly prefetchQueueDepth: number;
  /** Rows of the epoch of which no read was started yet; 0 when nothing iterates. */
  readonly unscannedRows: number;
  /** Rows that this dataset has handed over, over all epochs; not those that a state had counted before. */
  readonly consumedRows: number;
  /**
   * Rows that were left out because their transform failed, over all epochs. A row counts once a later one of its split was handed over, or the
   * epoch has ended: as in a state, what was only read ahead does not.
   */
  readonly rowsSkipped: number;
  /** How the rows of the epoch are fetched, and why; absent until that is decided, at the latest with the second window, and with `packSequences`. */
  readonly fetch?: FetchStatistics;
  /** Bytes of the memory budget that are in use, by all datasets that share it. */
  readonly budgetUsed: number;
  /** With `packSequences`: what packing has made of the epoch; until the next one is begun, of the one that has ended. */
  readonly packing?: PackingStatistics;
}
