import { beforeAll, describe, expect, it } from "vitest";
import { reportOf } from "../process/support/child.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { writeWide } from "./support/wide-table.ts";

const MiB = 2 ** 20;
const flags = ["--max-old-space-size=64"];
const stream = new URL("./children/stream.ts", import.meta.url);
const sleep = new URL("./children/sleep.ts", import.meta.url);
const folder = tempFolder();
let table = "";

interface Memory {
  readonly start: number;
  readonly first: number;
  readonly second: number;
  readonly bytes: number;
}

beforeAll(async () => {
  table = await writeWide(folder, "wide", 8192, 4);
});

describe("the memory of a stream", () => {
  it.each([
    ["memory", 4096],
    ["take", 2048],
  ])(
    "levels_off_without_explicit_collections_when_fetch_is_%s",
    async (fetch, batches) => {
      const { start, first, second, bytes } = await streamed(fetch, batches);
      expect(bytes).toBe(batches * MiB);
      expect(second).toBeLessThanOrEqual(1.2 * first);
      expect(Math.max(first, second)).toBeLessThan(start + 500 * MiB);
    },
    120_000,
  );

  it("would_be_seen_to_grow_if_batches_were_kept", async () => {
    const { start, first, second } = await streamed("take", 1024, "keep");
    expect(second).toBeGreaterThan(1.2 * first);
    expect(second).toBeGreaterThan(start + 500 * MiB);
  });

  it.each(["memory", "take"])("is_flat_while_the_consumer_sleeps_when_fetch_is_%s", async (fetch) => {
    const { before, most } = await reportOf<{ before: number; most: number }>(sleep, [table, fetch], {
      flags,
    });
    expect(most).toBeLessThan(before + 4 * MiB);
  });
});

function streamed(fetch: string, batches: number, what: "keep" | "drop" = "drop"): Promise<Memory> {
  return reportOf<Memory>(stream, [table, fetch, String(batches), what], { flags });
}
