import { describe, expect, it } from "vitest";
import { StreamingDataLoader, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { known } from "../support/known.ts";
import { collect, idsOf } from "../support/reading.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failing } from "./support.ts";

const folder = tempFolder();
const table = await writeIds(folder, "ids", 8);
/** Gives batches as they are. */
const transform = failing("nothing", -1);

describe.each([
  ["no threads", {}],
  ["one thread", { transform, transformParallelism: 1 }],
  ["two threads", { transform, transformParallelism: 2 }],
])("a state between batches, with %s", (_, options: StreamingDatasetOptions) => {
  it("resumes_to_the_rows_that_were_not_handed_over_however_far_was_read_ahead", async () => {
    const shared = { numSplits: 2, shuffleSeed: 1 };
    await using whole = await StreamingDataset.open(table, shared);
    const ids = (await collect(whole.batches(2))).flatMap(idsOf);
    for (let taken = 0; taken <= 4; taken++) {
      await using dataset = await StreamingDataset.open(table, { ...shared, ...options });
      const batches = new StreamingDataLoader(dataset, { batchSize: 2, prefetch: 4 })[Symbol.asyncIterator]();
      const first: number[] = [];
      for (let at = 0; at < taken; at++) first.push(...idsOf(known((await batches.next()).value)));
      await new Promise((resolve) => setTimeout(resolve, 50));
      const state = structuredClone(dataset.stateDict());
      expect(dataset.stateDict()).toEqual(state);
      await using other = await StreamingDataset.open(table, { ...shared, ...options, state });
      const rest = (await collect(other.batches(2))).flatMap(idsOf);
      expect([...first, ...rest]).toEqual(ids);
      expect(first).toHaveLength(2 * taken);
    }
  });
});
