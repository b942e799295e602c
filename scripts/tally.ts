/** How many tests, checks or runs passed and failed. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** The sum of tallies. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, { passed, failed }) => ({ passed: total.passed + passed, failed: total.failed + failed }),
    { passed: 0, failed: 0 },
  );
}

/** A command without tests of its own counts as one. */
export function tallyOfExit(code: number): Tally {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** What `cargo test` printed, summed over its test binaries. */
export function tallyOfCargo(output: string, code: number): Tally {
  const lines = output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm);
  return blame(
    sum([...lines].map(([, passed, failed]) => ({ passed: Number(passed), failed: Number(failed) }))),
    code,
  );
}

/** Vitest's JSON report, or `undefined` where it wrote none. */
export function tallyOfVitest(report: string | undefined, code: number): Tally {
  const { numPassedTests = 0, numFailedTests = 0 } = report === undefined ? {} : JSON.parse(report);
  return blame({ passed: numPassedTests, failed: numFailedTests }, code);
}

/** The closing line of a run. */
export function closingLine({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}

/** A run that failed, or that ran nothing, counts as a failure even where no test of it did: it did not compile, or it crashed. */
function blame(tally: Tally, code: number): Tally {
  const isSilentFailure = tally.failed === 0 && (code !== 0 || tally.passed === 0);
  return isSilentFailure ? { ...tally, failed: 1 } : tally;
}
