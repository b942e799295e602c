import { count } from "../terminal/text.ts";
import type { ErrorKind } from "./error-kinds.ts";
import type { RankResult } from "./run-rank.ts";

/** What all ranks were handed. */
export interface Summary {
  readonly planned: number;
  readonly handedOver: number;
  readonly distinct: number | null;
  readonly repeated: number | null;
  readonly outOfOrder: number | null;
  readonly skipped: number;
  readonly notReached: number;
  readonly dropped: number;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly firstBatchSeconds: number;
  readonly fetch: string | null;
  readonly transformErrors: readonly ErrorKind[];
  /** What is amiss, in words. */
  readonly faults: readonly string[];
}

/**
 * Sums up the ranks, and says what is amiss.
 *
 * @param mustBeDistinct - whether a row that comes twice is a fault: a permutation may repeat rows.
 */
export function summaryOf(
  results: readonly RankResult[],
  distinct: number,
  transformErrors: readonly ErrorKind[],
  mustBeDistinct: boolean,
): Summary {
  const sum = (of: (result: RankResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const known = results.every(({ outOfOrder }) => outOfOrder !== null);
  const [planned, handedOver, skipped] = [
    sum((r) => r.planned),
    sum((r) => r.handedOver),
    sum((r) => r.skipped),
  ];
  const [repeated, outOfOrder] = [sum((r) => r.repeated ?? 0), sum((r) => r.outOfOrder ?? 0)];
  const [taken, notReached] = [sum((r) => r.seconds), planned - handedOver - skipped];
  return {
    planned,
    handedOver,
    distinct: known ? distinct : null,
    repeated: known ? repeated : null,
    outOfOrder: known ? outOfOrder : null,
    skipped,
    notReached,
    dropped: results[0]?.dropped ?? 0,
    seconds: taken,
    rowsPerSecond: handedOver / taken,
    bytesPerSecond: sum((r) => r.bytesLoaded) / taken,
    firstBatchSeconds: Math.max(...results.map((r) => r.firstBatchSeconds)),
    fetch: results[0]?.fetch ?? null,
    transformErrors,
    faults: faultsIn({ outOfOrder, skipped, notReached, repeated: mustBeDistinct ? repeated : 0 }),
  };
}

/** What is amiss. Where rows were skipped, others are left out at the end: that is no fault of its own. */
function faultsIn(counted: Record<"outOfOrder" | "repeated" | "notReached" | "skipped", number>): string[] {
  const { outOfOrder, repeated, notReached, skipped } = counted;
  const faults: [number, string][] = [
    [outOfOrder, "stand at another place than the plan says"],
    [repeated, "came more than once"],
    [skipped === 0 ? notReached : 0, "of the plan did not come"],
    [skipped, "were lost to the transform"],
  ];
  return faults.filter(([rows]) => rows > 0).map(([rows, what]) => `${count(rows)} rows ${what}`);
}
