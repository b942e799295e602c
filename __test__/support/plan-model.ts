/** Splits as lists of samples. */
export type Splits = readonly (readonly number[])[];

/** The splits of an epoch of splits of equal length, from the samples that one rank with all of them reads. */
export function splitsOf(ids: readonly number[], numSplits: number): Splits {
  return Array.from({ length: numSplits }, (_, split) =>
    ids.filter((_, place) => place % numSplits === split),
  );
}

/**
 * The samples of the splits from `start` to before `end`, in plain words: the next one is always from the split that has yielded
 * least, the lowest first.
 */
export function planned(
  splits: Splits,
  progress: readonly number[],
  [start, end]: readonly [number, number],
): number[] {
  const counts = [...progress];
  const order: number[] = [];
  for (;;) {
    let least: number | undefined;
    for (let split = start; split < end; split++) {
      if ((counts[split] ?? 0) >= (splits[split]?.length ?? 0)) continue;
      if (least === undefined || (counts[split] ?? 0) < (counts[least] ?? 0)) least = split;
    }
    if (least === undefined) return order;
    order.push(splits[least]?.[counts[least] ?? 0] ?? Number.NaN);
    counts[least] = (counts[least] ?? 0) + 1;
  }
}
