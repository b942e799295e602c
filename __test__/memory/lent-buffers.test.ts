import { beforeAll, describe, expect, it } from "vitest";
import { type Batch, StreamingDataset } from "../../src/index.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { idsOf, isIntact, valuesOf } from "./support/values.ts";
import { writeWide } from "./support/wide-table.ts";

const folder = tempFolder();
let table = "";

beforeAll(async () => {
  table = await writeWide(folder, "wide", 512, 2);
});

describe("batches", () => {
  it("hold_the_same_bytes_lent_and_copied", async () => {
    const lent = await readAll(true);
    const copied = await readAll(false);
    expect(lent).toHaveLength(6);
    for (const [place, batch] of lent.entries()) {
      expect(isIntact(idsOf(batch), valuesOf(batch))).toBe(true);
      expect(bytesOf(copied[place])).toEqual(bytesOf(batch));
    }
  });

  it("are_copies_where_lending_is_switched_off", async () => {
    // Node moves memory of its own to another thread, and refuses to move memory that was lent to it.
    expect(isMovable(await readAll(true))).toBe(false);
    expect(isMovable(await readAll(false))).toBe(true);
  });
});

async function readAll(lendBuffers: boolean): Promise<Batch[]> {
  await using dataset = await StreamingDataset.open(table, { lendBuffers });
  const batches: Batch[] = [];
  for await (const batch of dataset.batches(100)) batches.push(batch);
  return batches;
}

function bytesOf(batch: Batch | undefined): Buffer[] {
  if (batch === undefined) return [];
  return [idsOf(batch), valuesOf(batch)].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
}

function isMovable(batches: readonly Batch[]): boolean {
  const [first] = batches;
  if (first === undefined) throw new Error("there is no batch");
  const memory = valuesOf(first).buffer as ArrayBuffer;
  try {
    structuredClone(memory, { transfer: [memory] });
    return true;
  } catch {
    return false;
  }
}
