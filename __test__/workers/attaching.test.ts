import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { NativeBatch } from "../../src/arrow/layout.ts";
import { loadBinding, type NativeBinding } from "../../src/native.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

type Attached = InstanceType<NativeBinding["AttachedPipeline"]>;
type Taken = NativeBatch & { readonly sequence: number; readonly first: number };

const rows = 1000;
const uri = await writeIds(tempFolder(), "ids", rows, { fragments: 2 });
const binding = loadBinding();

/** A running read of all rows from number `skip` on, in batches of 64. */
async function started(skip = 0) {
  const request = { uri, memoryBudget: 2 ** 26, sharedBudget: false, blobDescriptors: false };
  const opening = binding.open(request);
  await opening.wait();
  const table = opening.finish();
  const plan = table.plan({
    numSplits: 1,
    keepRemainder: false,
    shuffle: true,
    shuffleClumpSize: 1,
    shuffleSeed: 3n,
    epoch: 0,
    rank: 0,
    worldSize: 1,
    worker: 0,
    numWorkers: 1,
    progress: [],
    positions: [],
    maySkip: false,
    leftOut: [],
  });
  const options = {
    skip,
    batchRows: 64,
    ioQueueDepth: 2,
    readyBytes: 4096,
    fetch: "take",
    lendBuffers: true,
  };
  return { table, plan, pipeline: table.start(plan, options) };
}

async function next(attached: Attached): Promise<Taken | null> {
  for (;;) {
    const taken = attached.take();
    if (taken === null) return null;
    if (taken[0] !== undefined) return taken[0];
    await attached.wait();
  }
}

async function all(attached: Attached): Promise<Taken[]> {
  const batches: Taken[] = [];
  for (let batch = await next(attached); batch !== null; batch = await next(attached)) {
    batches.push(batch);
    // The others get their turns.
    await setImmediate();
  }
  return batches;
}

describe("a pipeline that several attach to", () => {
  it.each([0, 10, rows])("gives_each_batch_to_one_of_them_with_its_place_from_sample_%i_on", async (skip) => {
    const { table, plan, pipeline } = await started(skip);
    const ids = [pipeline.share(), pipeline.share()];
    expect(ids[0]).toBe(ids[1]);
    const attached = [0, 1, 2].map(() => binding.attachPipeline(ids[0] ?? 0));
    const shares = await Promise.all(attached.map(all));
    if (skip < rows) expect(shares.every((share) => share.length > 0)).toBe(true);
    const batches = shares.flat().toSorted((left, right) => left.sequence - right.sequence);
    let first = skip;
    for (const [place, batch] of batches.entries()) {
      expect(batch).toMatchObject({ sequence: place, first, numRows: Math.min(64, rows - first) });
      const id = new Int32Array(batch.data, batch.layout[4], batch.numRows);
      expect(Array.from(id)).toEqual(Array.from(plan.rowIds(first, batch.numRows), idOf));
      first += batch.numRows;
    }
    expect(first).toBe(rows);
    table.close();
  });

  it("wakes_all_that_wait_when_it_is_closed_and_forgets_its_id", async () => {
    const { table, pipeline } = await started();
    const id = pipeline.share();
    const attached = [0, 1].map(() => binding.attachPipeline(id));
    const waiting = attached.map((each) => all(each).catch((error) => error.code));
    pipeline.close();
    table.close();
    expect(await Promise.all(waiting)).toEqual(["CLOSED", "CLOSED"]);
    await Promise.all(attached.map((each) => each.wait()));
    expect(() => binding.attachPipeline(id)).toThrow(expect.objectContaining({ code: "CLOSED" }));
    expect(() => binding.attachPipeline(2 ** 40)).toThrow(expect.objectContaining({ code: "CLOSED" }));
    expect(() => binding.attachPipeline(-1)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});

/** The id of the row with a row id: the second of two fragments begins at 2^32. */
function idOf(rowId: bigint): number {
  return Number((rowId >> 32n) * BigInt(rows / 2) + (rowId & 0xffffffffn));
}
