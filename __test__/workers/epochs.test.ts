import { describe, expect, it } from "vitest";
import { writeWide } from "../memory/support/wide-table.ts";
import { reportOf } from "../process/support/child.ts";
import { tempFolder } from "../support/temp-folder.ts";

interface Seen {
  readonly threads: number;
  readonly handles: readonly string[];
}

interface Report {
  readonly before: Seen;
  readonly during: Seen;
  readonly after: Seen;
  readonly first: number;
  readonly second: number;
}

const program = new URL("./children/epochs.ts", import.meta.url);
const flags = ["--max-old-space-size=64"];
const table = await writeWide(tempFolder(), "wide", 1024, 2);

// Threads are counted where Linux shows them.
describe.skipIf(process.platform !== "linux")("a hundred epochs in worker threads", () => {
  it("leave_memory_threads_and_handles_where_they_were", async () => {
    const { before, during, after, first, second } = await reportOf<Report>(program, [table, "100"], {
      flags,
    });
    expect(before).toEqual({ threads: 0, handles: [] });
    expect(during.threads).toBe(2);
    expect(after).toEqual(before);
    expect(second).toBeLessThanOrEqual(1.2 * first);
  }, 120_000);

  it("would_be_seen_to_grow_if_batches_were_kept", async () => {
    const { first, second } = await reportOf<Report>(program, [table, "100", "keep"], { flags });
    expect(second).toBeGreaterThan(1.2 * first);
  }, 120_000);
});

describe.skipIf(process.platform !== "linux")("datasets that are let go without a close", () => {
  it("end_their_threads_when_they_are_collected", async () => {
    const abandoned = new URL("./children/abandoned.ts", import.meta.url);
    expect(await reportOf(abandoned, [table], { flags: ["--expose-gc"] })).toEqual({ before: 4, after: 0 });
  });
});
