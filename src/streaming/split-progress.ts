/** How far each split is: the samples that were handed over, and the rows that were passed, skipped ones included. */
export class SplitProgress {
  readonly samples: number[];
  readonly positions: number[];

  constructor(samples: readonly number[], positions: readonly number[]) {
    this.samples = [...samples];
    this.positions = [...positions];
  }

  /**
   * Counts the row at `position` of a split as handed over, and those between it and the one before as skipped.
   *
   * @returns how many were skipped.
   */
  pass(split: number, position: number): number {
    const skipped = position - (this.positions[split] ?? 0);
    this.samples[split] = (this.samples[split] ?? 0) + 1;
    this.positions[split] = position + 1;
    return skipped;
  }
}
