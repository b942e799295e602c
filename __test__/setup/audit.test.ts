import { expect, it } from "vitest";
import { vulnerabilitiesOf } from "../../scripts/audit.ts";

it("an_audit_that_found_something_is_told_from_one_that_found_nothing_and_one_that_failed", () => {
  expect(vulnerabilitiesOf(JSON.stringify({ vulnerabilities: { "bad-package": {} } }))).toEqual([
    "bad-package",
  ]);
  expect(vulnerabilitiesOf(JSON.stringify({ vulnerabilities: {} }))).toEqual([]);
  expect(vulnerabilitiesOf(JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405 }))).toBe(
    undefined,
  );
  expect(vulnerabilitiesOf("npm error audit endpoint returned an error")).toBe(undefined);
});
