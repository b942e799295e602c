import { getEventListeners } from "node:events";
import { beforeEach, describe, expect, test } from "vitest";
import { StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { epochIds, idOf, idsOf, readIds, withDataset } from "../../support/reading.ts";
import { range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = await writeIds(tempFolder(), "ids", 60, { fragments: 3 });
const options = { numSplits: 3, fetch: "take", readBatchSize: 2 } as const;
const order = await epochIds(path, options);
const reason = new Error("the user went home");
let controller: AbortController;

beforeEach(() => {
  controller = new AbortController();
});

/** Runs `work`, which must fail with the reason of the abort as the cause. */
async function aborted(work: () => unknown): Promise<void> {
  expect((await failure(work, "ABORTED", "signal")).cause).toBe(reason);
}

describe("a signal ends the opening of a table", () => {
  test("that it precedes", async () => {
    controller.abort(reason);
    await aborted(() => StreamingDataset.open(path, { signal: controller.signal }));
  });

  test("that is under way, with a filter to scan or none", async () => {
    for (const filter of [{}, { filter: "id > 3" }]) {
      const during = new AbortController();
      const opening = StreamingDataset.open(path, { ...filter, signal: during.signal });
      during.abort(reason);
      await aborted(() => opening);
    }
  });

  test("at any moment of it, unless it comes too late", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const during = new AbortController();
      const opening = StreamingDataset.open(path, { filter: "id > 3", signal: during.signal });
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      during.abort(reason);
      const opened = await opening.catch((error: unknown) => error);
      if (opened instanceof StreamingDataset) await opened.close();
      else expect(opened).toMatchObject({ code: "ABORTED", cause: reason });
    }
  });
});

describe("a signal ends a loop, whose state is exact and goes on elsewhere:", () => {
  const loops: [string, (dataset: StreamingDataset, taken: number[], step: () => void) => Promise<void>][] = [
    ["over samples", overSamples],
    ["over batches", overBatches],
    ["over collated batches", overCollated],
  ];
  test.each(loops)("%s", async (_, loop) => {
    await using dataset = await StreamingDataset.open(path, { ...options, signal: controller.signal });
    const taken: number[] = [];
    const step = () => {
      if (taken.length === 12) controller.abort(reason);
    };
    await aborted(() => loop(dataset, taken, step));
    expect(taken).toEqual(order.slice(0, 12));
    const state = dataset.stateDict();
    expect(state.samples_consumed_per_split).toEqual([4, 4, 4]);
    expect(await withDataset(path, { ...options, state }, (other) => readIds(other))).toEqual(
      order.slice(12),
    );
    await aborted(() => readIds(dataset));
  });

  async function overSamples(dataset: StreamingDataset, taken: number[], step: () => void): Promise<void> {
    for await (const sample of dataset) {
      taken.push(idOf(sample));
      step();
    }
  }

  async function overBatches(dataset: StreamingDataset, taken: number[], step: () => void): Promise<void> {
    for await (const batch of dataset.batches(4)) {
      taken.push(...idsOf(batch));
      step();
    }
  }

  async function overCollated(dataset: StreamingDataset, taken: number[], step: () => void): Promise<void> {
    for await (const ids of dataset.batches(4, { collate: idsOf })) {
      taken.push(...ids);
      step();
    }
  }
});

describe("a signal settles what waits", () => {
  test("for batches, of which some may have been there before", async () => {
    for (let round = 0; round < 10; round++) {
      const during = new AbortController();
      await using dataset = await StreamingDataset.open(path, { ...options, signal: during.signal });
      const iterator = dataset.batches(6);
      const calls = range(0, 10).map(() => iterator.next());
      during.abort(reason);
      const outcomes = await Promise.allSettled(calls);
      const handed = outcomes.flatMap((outcome) =>
        outcome.status === "fulfilled" && outcome.value.value ? idsOf(outcome.value.value) : [],
      );
      expect(handed).toEqual(order.slice(0, handed.length));
      const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(failed).toMatchObject([{ code: "ABORTED", cause: reason }]);
      const counts = dataset.stateDict().samples_consumed_per_split as readonly number[];
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(handed.length);
    }
  });

  test("for a collate that never settles, and all calls behind it", async () => {
    await using dataset = await StreamingDataset.open(path, { ...options, signal: controller.signal });
    const iterator = dataset.batches(4, { collate: () => new Promise<never>(() => undefined) });
    const calls = [iterator.next(), iterator.next(), iterator.next()];
    setTimeout(() => controller.abort(reason), 20);
    await aborted(() => calls[0]);
    expect(await Promise.all(calls.slice(1))).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
    expect(dataset.stateDict().samples_consumed_per_split).toEqual([0, 0, 0]);
  });

  test("when its time is up", async () => {
    await using dataset = await StreamingDataset.open(path, { ...options, signal: AbortSignal.timeout(30) });
    const endless = async () => {
      for (;;) await readIds(dataset);
    };
    const error = await failure(endless, "ABORTED");
    expect(error.cause).toMatchObject({ name: "TimeoutError" });
  });
});

test("a signal that is no longer needed holds nothing of the dataset", async () => {
  {
    await using dataset = await StreamingDataset.open(path, { signal: controller.signal });
    for await (const batch of dataset.batches(7)) idsOf(batch);
    for await (const batch of dataset.batches(7, { collate: idsOf })) if (batch.length > 0) break;
    for await (const sample of dataset) if (idOf(sample) >= 0) break;
  }
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});
