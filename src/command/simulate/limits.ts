import type { Walk } from "./walk.ts";

/** How rows come. */
export type Way = "take" | "clump" | "scratch";

/** What the object store and the machines can do, and what a row is. */
export interface Conditions {
  /** Bytes of a row in the table, all columns that are read. */
  readonly rowBytes: number;
  /** Columns that are read: each is a request of its own. */
  readonly columns: number;
  /** Rows of a batch of one rank. */
  readonly batchSize: number;
  /** Samples a second that each rank wants. */
  readonly demand: number;
  /** Bytes of memory of each rank. */
  readonly memoryBudget: number;
  /** Ranks that share a machine's network and disk. */
  readonly ranksPerMachine: number;
  /** Requests a second that the store answers in all. */
  readonly storeRequests: number;
  /** Seconds to a request's first byte. */
  readonly latency: number;
  /** Bytes a second of one request. */
  readonly connectionBytes: number;
  /** Requests that a rank has under way. */
  readonly connections: number;
  /** Bytes a second of a machine's network. */
  readonly machineBytes: number;
  /** Bytes a second of a machine's scratch disk. */
  readonly diskBytes: number;
}

/** What a limit is called. */
type LimitName =
  | "memory for scratch"
  | "requests of the store"
  | "latency of requests"
  | "network of a machine"
  | "scratch disk"
  | "processor for the plan";

/** What a set-up comes to. */
export interface Estimate {
  /** At the demand. */
  readonly requestsPerSecondPerRank: number;
  readonly requestsPerSecond: number;
  readonly bytesPerSecondPerRank: number;
  readonly bytesPerSecond: number;
  /** Bytes that are read for each byte of a sample. */
  readonly readAmplification: number;
  readonly memoryPerRank: number;
  readonly scratchPerRank: number;
  readonly firstBatchSeconds: number;
  /** Samples a second and rank that each limit leaves. */
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
  /** The lowest limit, and what it is. */
  readonly samplesPerSecondPerRank: number;
  readonly heldBackBy: LimitName;
  readonly meetsDemand: boolean;
  readonly epochSeconds: number;
}

/** Bytes of one request of a scan: what Lance writes as one page of a column. */
const scanRequestBytes = 8 * 2 ** 20;
/** Scratch holds more than the rows, and they are written and read. */
const scratchOverhead = 1.1;
/** Bytes a row of the table that scratch needs in memory while it deals, and a split of the plan. */
const dealtBytes = 2;
const splitBytes = 100;
/** Requests that follow each other until a table is open, and until the footers of its files are there. */
const roundTrips = 6;

/** What a walked set-up comes to under given conditions. */
export function estimate(
  way: Way,
  rows: number,
  ranks: number,
  numSplits: number,
  walk: Walk,
  on: Conditions,
): Estimate {
  const { requests, bytes } = costOf(way, ranks, walk, on);
  const scratchPerRank = way === "scratch" ? walk.samplesPerRank * on.rowBytes * scratchOverhead : 0;
  const dealt = way === "scratch" ? dealtBytes * rows : 0;
  const limits = limitsOf({ way, ranks, requests, bytes, dealt }, walk, on);
  const [heldBackBy, samplesPerSecondPerRank] = lowest(limits);
  const perRank = Math.min(on.demand, samplesPerSecondPerRank);
  return {
    requestsPerSecondPerRank: on.demand * requests,
    requestsPerSecond: on.demand * requests * ranks,
    bytesPerSecondPerRank: on.demand * bytes,
    bytesPerSecond: on.demand * bytes * ranks,
    readAmplification: bytes / on.rowBytes,
    memoryPerRank: Math.max(on.memoryBudget, dealt) + splitBytes * numSplits,
    scratchPerRank,
    firstBatchSeconds: firstBatchSeconds(walk, on),
    limits,
    samplesPerSecondPerRank,
    heldBackBy,
    meetsDemand: samplesPerSecondPerRank >= on.demand,
    epochSeconds: walk.samplesPerRank / perRank,
  };
}

/** Requests, and bytes that are read, for each sample of a rank. */
function costOf(way: Way, ranks: number, walk: Walk, { rowBytes, columns }: Conditions) {
  if (way !== "scratch")
    return { requests: walk.requestsPerSample * columns, bytes: walk.rowsReadPerSample * rowBytes };
  // Each rank scans the whole table for its own part of the rows.
  const bytes = rowBytes * ranks;
  return { requests: bytes / scanRequestBytes, bytes };
}

interface Cost {
  readonly way: Way;
  readonly ranks: number;
  readonly requests: number;
  readonly bytes: number;
  readonly dealt: number;
}

function limitsOf(
  { way, ranks, requests, bytes, dealt }: Cost,
  walk: Walk,
  on: Conditions,
): Estimate["limits"] {
  const sharing = Math.min(ranks, on.ranksPerMachine);
  const secondsOfRequest = on.latency + bytes / requests / on.connectionBytes;
  const scratch = {
    "memory for scratch": dealt <= on.memoryBudget ? Number.POSITIVE_INFINITY : 0,
    "scratch disk": on.diskBytes / sharing / (2 * scratchOverhead * on.rowBytes),
  };
  return {
    ...(way === "scratch" && scratch),
    "requests of the store": on.storeRequests / ranks / requests,
    "latency of requests": on.connections / secondsOfRequest / requests,
    "network of a machine": on.machineBytes / sharing / bytes,
    "processor for the plan": 1 / walk.secondsPerSample,
  };
}

function lowest(limits: Estimate["limits"]): [LimitName, number] {
  const sorted = Object.entries(limits).sort(([, one], [, other]) => one - other) as [LimitName, number][];
  return sorted[0] ?? ["processor for the plan", Number.POSITIVE_INFINITY];
}

/** Whatever the way, the first batch comes by takes. */
function firstBatchSeconds(walk: Walk, on: Conditions): number {
  const requests = walk.firstRequests * on.columns;
  const turns = Math.ceil(requests / on.connections);
  const bytes = on.batchSize * on.rowBytes;
  return (roundTrips + turns) * on.latency + bytes / Math.min(requests, on.connections) / on.connectionBytes;
}
