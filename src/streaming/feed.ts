/** Consecutive samples on their way to the consumer. */
export interface Samples<Value> {
  readonly numRows: number;
  /** One by one. */
  rows(): readonly unknown[];
  /** As a batch. */
  value(): Value;
}

/** Rows of a read by where they are. */
export interface QueueRows {
  /** Rows that are being read or wait for their gathering, or for their transform. */
  readonly raw: number;
  /** Samples that wait for the consumer. */
  readonly waiting: number;
}

/** Where the samples of a read come from. */
export interface Feed<Value> {
  /** The rows of the read, given those of which no read was started, those that are read, and those that wait in the addon. */
  queues(unscannedRows: number, rawRows: number, readyRows: number): QueueRows;
  /** The next samples if they are there: `undefined` if they are not, `null` at the end. */
  tryNext(): Samples<Value> | null | undefined;
  /** The next samples, or `null` at the end. Called again only after its promise has settled. */
  next(): Promise<Samples<Value> | null>;
  /** Counts samples as handed over, in the order in which they were given. */
  commit(samples: number): void;
  /** The consumer has seen the end. */
  finish(): void;
  /** Ends the read and lets all go. Closing again changes nothing. */
  close(): void;
}
