/** Everything that a report shows. */
export interface ReportData {
  readonly title: string;
  /** Names and values, for people. */
  readonly facts: readonly (readonly [string, string])[];
  readonly splits: readonly Split[];
  readonly fragments: readonly Fragment[];
  readonly mixing: Mixing;
  readonly cost: Cost;
  readonly throughput: Throughput;
  /** Empty where documents are not packed. */
  readonly packing: readonly Packing[];
}

/** A split of the permutation, or of the epoch. */
export interface Split {
  readonly name: string;
  readonly rows: number;
}

/** A fragment of the table. */
interface Fragment {
  readonly rows: number;
  readonly deleted: number;
}

/** Where samples stand in the table. */
export interface Mixing {
  /** Samples from all over the epoch, a few neighbours at a time. */
  readonly whole: Samples;
  readonly beginning: Samples;
  /** Places in the table, those of deleted rows included. */
  readonly rows: number;
  /** Of position and place: 1 in storage order, near 0 where they are mixed. */
  readonly correlation: number;
  /** How far neighbours in the epoch are from each other in the table, as a part of the table: a third where they are mixed. */
  readonly meanJump: number;
}

/** Samples, the earlier ones first. */
export interface Samples {
  readonly positions: readonly number[];
  /** The places in storage order of the rows that stand there. */
  readonly places: readonly number[];
}

/** What windows of takes ask for, by a model. */
export interface Cost {
  readonly rowBytes: number;
  readonly columns: number;
  /** Bytes between two rows up to which both come by one request. */
  readonly joinedBytes: number;
  readonly windows: readonly number[];
  readonly clumps: readonly ClumpCost[];
}

/** The cost of one size of clumps, for each window. */
export interface ClumpCost {
  readonly clump: number;
  readonly requestsPer1000Rows: readonly number[];
  /** Bytes that are read for each byte that is wanted. */
  readonly readAmplification: readonly number[];
}

/** A run of the plan, in stretches of time. */
export interface Throughput {
  readonly rows: number;
  readonly seconds: number;
  readonly firstBatchSeconds: number;
  readonly fetch: string;
  readonly stretches: readonly Stretch[];
}

/** A stretch of time: how fast rows came, and what part of it went where. */
export interface Stretch {
  /** Seconds from the beginning to its middle. */
  readonly at: number;
  readonly rowsPerSecond: number;
  readonly reading: number;
  readonly transforming: number;
  readonly consumer: number;
}

/** How well blocks were filled in one mode. */
export interface Packing {
  readonly mode: string;
  readonly documents: readonly number[];
  readonly utilization: readonly number[];
  readonly blocks: number;
  readonly padTokens: number;
}
