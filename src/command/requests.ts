/** What reading some rows by themselves comes to. */
export interface Requests {
  /** Requests, one for each run of neighbours. */
  readonly requests: number;
  /** Rows between the first and the last of each run, read with it, those in between that nobody wants included. */
  readonly rowsRead: number;
  /** Rows that are wanted, repeats not counted. */
  readonly rows: number;
}

/**
 * The requests for a window of rows of one column, by a model of how Lance reads: rows are sorted and repeats left out, and two rows with at most
 * `gapRows` others between them come by one request.
 *
 * @param rows - places of rows in storage order; they are sorted in place.
 */
export function requestsFor(rows: BigUint64Array, gapRows: number): Requests {
  rows.sort();
  let requests = 0;
  let rowsRead = 0;
  let wanted = 0;
  let before: bigint | undefined;
  for (const row of rows) {
    const step = before === undefined ? Number.POSITIVE_INFINITY : Number(row - before);
    before = row;
    if (step === 0) continue;
    wanted++;
    const joined = step <= gapRows + 1;
    if (!joined) requests++;
    rowsRead += joined ? step : 1;
  }
  return { requests, rowsRead, rows: wanted };
}
