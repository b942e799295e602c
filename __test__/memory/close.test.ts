import { beforeAll, describe, expect, it, vi } from "vitest";
import { StreamingDataset } from "../../src/index.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { writeWide } from "./support/wide-table.ts";

const rows = 4096;
const folder = tempFolder();
let table = "";

beforeAll(async () => {
  table = await writeWide(folder, "wide", rows);
});

describe("the budget that datasets share", () => {
  it("gets_the_rows_in_memory_back_when_their_dataset_is_closed_though_it_is_still_referenced", async () => {
    await using other = await StreamingDataset.open(table);
    const dataset = await StreamingDataset.open(table, { fetch: "memory" });
    for await (const _ of dataset.batches(64));
    expect(other.stats.budgetUsed).toBeGreaterThanOrEqual(rows * 4096);
    await dataset.close();
    await vi.waitFor(() => expect(other.stats.budgetUsed).toBe(0));
    expect(dataset.epoch).toBe(1);
  });
});
