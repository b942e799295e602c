import { Binary, Int32, Table, vectorFromArray } from "apache-arrow";
import { beforeAll, describe, expect, test } from "vitest";
import { type Batch, StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { sorted } from "../support/reading.ts";
import { range, tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const rows = 4000;

/** For each row, a kibibyte that no other row has. */
const payloads = range(0, rows).map(payload);

function payload(id: number): Uint8Array {
  let state = id + 1;
  return Uint8Array.from({ length: 1024 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

function part(start: number, end: number): Table {
  const ids = range(start, end);
  return new Table({
    id: vectorFromArray(ids, new Int32()),
    payload: vectorFromArray(payloads.slice(start, end), new Binary()),
  });
}

/** The ids of the batches, whose payloads must be those of the ids. */
async function checkedIds(dataset: StreamingDataset, batchSize: number): Promise<number[]> {
  const ids: number[] = [];
  const check = (batch: Batch) => {
    for (const row of batch.rows()) {
      const id = row["id"] as number;
      if (Buffer.compare(row["payload"] as Uint8Array, payloads[id] ?? new Uint8Array()) !== 0)
        throw new Error(`row ${id} has another payload`);
      ids.push(id);
    }
  };
  for await (const batch of dataset.batches(batchSize)) check(batch);
  return ids;
}

describe.each([
  [1, false],
  [40, false],
  [1, true],
  [40, true],
] as const)("4000 rows of 1 KiB in %i fragments, with stable row ids: %s", (fragments, stableRowIds) => {
  const name = `payload-${fragments}-${stableRowIds}`;
  const path = tablePath(folder, name);
  beforeAll(async () => {
    const size = rows / fragments;
    const parts = range(0, fragments).map((at) => part(at * size, (at + 1) * size));
    await writeTable(folder, name, parts, { stableRowIds });
  });

  const options: StreamingDatasetOptions[] = [
    { fetch: "memory" },
    { fetch: "take" },
    { fetch: "take", readBatchSize: 64 },
  ];
  test.each(options)("come twice over, each with its own bytes, with %o", async (options) => {
    await using dataset = await StreamingDataset.open(path, { shuffleSeed: 12, ...options });
    const first = await checkedIds(dataset, 512);
    const second = await checkedIds(dataset, 100);
    expect(sorted(first)).toEqual(range(0, rows));
    expect(sorted(second)).toEqual(range(0, rows));
    expect(second).not.toEqual(first);
  });

  test("come as the 512 that a filter keeps", async () => {
    await using dataset = await StreamingDataset.open(path, {
      filter: "id >= 1000 AND id < 1512",
      fetch: "take",
    });
    expect(sorted(await checkedIds(dataset, 64))).toEqual(range(1000, 1512));
  });
});
