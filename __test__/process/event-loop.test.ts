import { describe, expect, it } from "vitest";
import { type Batch, StreamingDataset } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const rows = 100_000;
const table = await writeIds(tempFolder(), "ids", rows);

describe("a consumer that never waits", () => {
  it.each<[string, (dataset: StreamingDataset) => AsyncIterable<unknown>]>([
    ["samples", (dataset) => dataset],
    ["batches", (dataset) => dataset.batches(4)],
    ["collated_batches", (dataset) => dataset.batches(4, { collate: (batch: Batch) => batch.numRows })],
  ])("leaves_the_event_loop_its_turns_in_a_loop_over_%s", async (_, loop) => {
    const stopped = new AbortController();
    await using dataset = await StreamingDataset.open(table, { fetch: "memory", signal: stopped.signal });
    // From the second epoch on, all rows are in memory: the loader is always ahead of its consumer.
    for await (const _ of dataset.batches(1000));
    let turns = 0;
    const timer = setInterval(() => ++turns === 5 && stopped.abort(), 1);
    await failure(async () => {
      for await (const _ of loop(dataset)) workFor(0.1);
    }, "ABORTED");
    clearInterval(timer);
    expect(dataset.stats.consumedRows).toBeLessThan(2 * rows);
  });
});

function workFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
