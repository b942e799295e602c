import { describe, expect, it } from "vitest";
import { closingLine, sum, tallyOfCargo, tallyOfExit, tallyOfVitest } from "../../scripts/tally.ts";

describe("the closing line", () => {
  it("adds_up_all_test_binaries_of_cargo", () => {
    const output = [
      "running 3 tests",
      "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
      "test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    ].join("\n");
    expect(tallyOfCargo(output, 101)).toEqual({ passed: 13, failed: 2 });
  });

  it("counts_what_vitest_reports", () => {
    const report = JSON.stringify({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 4 });
    expect(tallyOfVitest(report, 1)).toEqual({ passed: 5, failed: 1 });
  });

  it("a_run_that_fails_without_a_failed_test_is_a_failure", () => {
    expect(tallyOfCargo("test result: ok. 3 passed; 0 failed;", 101)).toEqual({ passed: 3, failed: 1 });
    expect(tallyOfVitest(JSON.stringify({ numPassedTests: 3, numFailedTests: 0 }), 1).failed).toBe(1);
    expect(tallyOfVitest(undefined, 1)).toEqual({ passed: 0, failed: 1 });
    expect(tallyOfExit(2)).toEqual({ passed: 0, failed: 1 });
  });

  it("a_run_of_no_tests_is_a_failure", () => {
    expect(tallyOfCargo("test result: ok. 0 passed; 0 failed;", 0).failed).toBe(1);
    expect(tallyOfVitest(undefined, 0).failed).toBe(1);
  });

  it("is_a_plain_line", () => {
    expect(closingLine(sum([tallyOfExit(0), { passed: 2, failed: 1 }, tallyOfExit(1)]))).toBe(
      "3 passed, 2 failed",
    );
    expect(closingLine(sum([]))).toBe("0 passed, 0 failed");
  });
});
