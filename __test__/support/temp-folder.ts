import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A new folder that is removed once the tests around the call have run. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lance-loader-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
