import type { Batch, StateDict } from "../../src/index.ts";
import type { Splits } from "./plan-model.ts";

/** A transform to the ids of the rows, which throws for a batch that holds one of `bad`. */
export function failingOn(bad: Iterable<number>): (batch: Batch) => number[] {
  const failing = new Set(bad);
  return (batch) => {
    const ids = Array.from(batch.column("id"), Number);
    const found = ids.filter((id) => failing.has(id));
    if (found.length > 0) throw new Error(`bad ${found.join(" and ")}`);
    return ids;
  };
}

/**
 * The samples of an epoch in which the rows of `bad` fail, of the splits from `start` to before `end`, in plain words: sample number k of a split is its
 * k-th row that survives, and the epoch ends with the last cycle in which every split has one that would have one without failures.
 *
 * @param end - the cycles that all ranks have, where they agree on fewer.
 */
export function surviving(
  splits: Splits,
  bad: Iterable<number>,
  [start, end]: readonly [number, number] = [0, splits.length],
  cycles = Number.POSITIVE_INFINITY,
): number[] {
  const failing = new Set(bad);
  const owned = splits.slice(start, end);
  const left = owned.map((rows) => rows.filter((id) => !failing.has(id)));
  const samples: number[] = [];
  for (let cycle = 0; cycle < cycles; cycle++) {
    const members = owned.flatMap((rows, split) => (rows.length > cycle ? [left[split]?.[cycle]] : []));
    if (members.length === 0 || members.includes(undefined)) break;
    samples.push(...(members as number[]));
  }
  return samples;
}

/** Whether a state says that rows were skipped. */
export function hasSkips({ samples_consumed_per_split, positions_consumed_per_split }: StateDict): boolean {
  return JSON.stringify(samples_consumed_per_split) !== JSON.stringify(positions_consumed_per_split);
}
