import { describe, expect, it } from "vitest";
import {
  type Batch,
  type Row,
  StreamingDataLoader,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "../../src/index.ts";
import { collect, idOf } from "../support/reading.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import seen from "./modules/seen.ts";
import { moduleOf, openWith } from "./support.ts";

const table = await writeIds(tempFolder(), "ids", 250, { fragments: 3, deleted: "id % 7 = 0" });
const shared: StreamingDatasetOptions = { shuffle: true, shuffleSeed: 5, numSplits: 2 };

async function rowsOf(dataset: StreamingDataset, numWorkers?: number): Promise<Row[]> {
  const options = { batchSize: 9, ...(numWorkers !== undefined && { numWorkers }) };
  const batches = await collect(new StreamingDataLoader(dataset, options));
  return batches.flatMap((batch) => batch.rows());
}

describe("a module transform", () => {
  it("gives_what_the_function_gives_in_the_same_order_on_any_number_of_threads_in_every_epoch", async () => {
    await using plain = await StreamingDataset.open(table, { ...shared, transform: seen });
    const epochs = [await rowsOf(plain), await rowsOf(plain)];
    expect(epochs[0]).not.toEqual(epochs[1]);
    await using dataset = await openWith(table, moduleOf("seen.ts"), shared);
    for (const numWorkers of [undefined, 1, 3, 0]) {
      dataset.setEpoch(0);
      expect(await rowsOf(dataset, numWorkers)).toEqual(epochs[0]);
      expect(await rowsOf(dataset, numWorkers)).toEqual(epochs[1]);
    }
  });

  it("is_told_the_epoch_and_the_ids_and_seeds_of_the_rows_that_it_gets", async () => {
    await using dataset = await openWith(table, moduleOf("seen.ts"), { ...shared, epoch: 4 });
    await using plain = await StreamingDataset.open(table, { columns: ["id", "_rowid"] });
    const rowIds = new Map((await collect(plain)).map((row) => [row["id"], row["_rowid"]]));
    const rows = await rowsOf(dataset);
    expect(rows.map((row) => row["rowId"])).toEqual(rows.map((row) => rowIds.get(row["id"] ?? null)));
    expect(new Set(rows.map((row) => row["epoch"]))).toEqual(new Set([4]));
    expect(new Set(rows.map((row) => row["seed"])).size).toBe(rows.length);
  });

  it("is_run_by_a_loop_over_samples_and_by_collates_too", async () => {
    await using dataset = await openWith(table, moduleOf("seen.ts"), shared);
    const ids = (await rowsOf(dataset)).map(idOf);
    dataset.setEpoch(0);
    expect((await collect(dataset)).map(idOf)).toEqual(ids);
    dataset.setEpoch(0);
    const collated = dataset.batches(9, { collate: (batch: Batch) => batch.rows().map(idOf), numWorkers: 1 });
    expect((await collect(collated)).flat()).toEqual(ids);
  });

  it("may_give_the_same_memory_for_every_batch_and_the_memory_of_the_batch", async () => {
    await using dataset = await openWith(table, moduleOf("reuses.ts"), { readBatchSize: 16 });
    const rows = await rowsOf(dataset);
    expect(rows.map(idOf)).toEqual(rows.map((row) => row["raw"]));
    expect(new Set(rows.map(idOf)).size).toBe(dataset.numSamples);
  });

  it("may_be_a_compiled_commonjs_module_and_a_url_of_data", async () => {
    const text = "export default (batch) => Array.from(batch.column('id'))";
    for (const module of [
      moduleOf("compiled.cjs"),
      new URL(`data:text/javascript,${encodeURIComponent(text)}`),
    ]) {
      await using dataset = await StreamingDataset.open<number, number[]>(table, {
        shuffle: false,
        transform: module,
      });
      const ids = (await collect(dataset.batches(50))).flat();
      expect(ids).toHaveLength(dataset.numSamples);
      expect(ids).toEqual(ids.toSorted((left, right) => left - right));
    }
  });
});
