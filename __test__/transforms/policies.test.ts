import { afterEach, describe, expect, test, vi } from "vitest";
import { type LanceLoaderError, StreamingDataset } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { collect } from "../support/reading.ts";
import { throughJson } from "../support/states.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failingOn } from "../support/transforms.ts";

const path = await writeIds(tempFolder(), "ids", 8);
const options = { shuffle: false, readBatchSize: 4 };
const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {});

afterEach(() => warnings.mockClear());

/** A transform that fails for id 5, once for the batch and once for the row alone, and the batches that it was called with. */
function failingOnFive() {
  const calls: number[][] = [];
  const fail = failingOn([5]);
  const transform = (batch: Parameters<typeof fail>[0]) => {
    calls.push(Array.from(batch.column("id"), Number));
    return fail(batch);
  };
  return { calls, transform };
}

test.each(["skip", "warn"] as const)("%s leaves out the row that fails, and no other", async (policy) => {
  const { calls, transform } = failingOnFive();
  await using dataset = await StreamingDataset.open(path, {
    ...options,
    transform,
    onTransformError: policy,
  });
  expect(await collect(dataset)).toEqual([0, 1, 2, 3, 4, 6, 7]);
  expect(dataset.stats).toMatchObject({ rowsSkipped: 1, consumedRows: 7 });
  expect(calls).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [4], [5], [6], [7]]);
  expect(warnings).toHaveBeenCalledTimes(policy === "warn" ? 1 : 0);
});

test("warn says once for a batch how many rows it lost, and why", async () => {
  await using dataset = await StreamingDataset.open(path, {
    ...options,
    transform: failingOn([4, 5, 7]),
    onTransformError: "warn",
  });
  expect(await collect(dataset)).toEqual([0, 1, 2, 3, 6]);
  const message = expect.stringMatching(/^3 of 4 rows of a batch are left out.*the row with id \d+: bad 4$/);
  expect(warnings.mock.calls).toEqual([[message, expect.objectContaining({ type: "LanceLoaderWarning" })]]);
});

test.each(["skip", "warn"] as const)(
  "a run under %s that is stopped goes on behind what it was handed",
  async (policy) => {
    await using dataset = await StreamingDataset.open(path, {
      ...options,
      transform: failingOn([5]),
      onTransformError: policy,
    });
    const before: number[] = [];
    for await (const id of dataset) {
      before.push(id);
      if (id === 4) break;
    }
    const state = throughJson(dataset.stateDict());
    await using resumed = await StreamingDataset.open(path, {
      ...options,
      transform: failingOn([5]),
      onTransformError: policy,
    });
    resumed.loadStateDict(state);
    expect(throughJson(resumed.stateDict())).toEqual(state);
    expect(before).toEqual([0, 1, 2, 3, 4]);
    expect(await collect(resumed)).toEqual([6, 7]);
    // Each run counts the rows that it has passed, so that both together have counted the row once.
    expect([dataset.stats.rowsSkipped, resumed.stats.rowsSkipped]).toEqual([0, 1]);
  },
);

describe("raise", () => {
  test("hands over what precedes the failing batch, then fails, and its state resumes behind that", async () => {
    await using dataset = await StreamingDataset.open(path, { ...options, transform: failingOn([5]) });
    const before: number[] = [];
    const reading = async () => {
      for await (const id of dataset) before.push(id);
    };
    const error = await failure(reading, "TRANSFORM_FAILED", "a batch of 4 rows", "bad 5");
    expect(error.cause).toEqual(new Error("bad 5"));
    expect(before).toEqual([0, 1, 2, 3]);
    const state = throughJson(dataset.stateDict());
    await using resumed = await StreamingDataset.open(path, { ...options, transform: failingOn([]), state });
    expect(await collect(resumed)).toEqual([4, 5, 6, 7]);
  });

  test("hands over a short batch before the failure, unless short ones are left out", async () => {
    for (const [dropLast, expected] of [
      [false, [[0, 1, 2], [3]]],
      [true, [[0, 1, 2]]],
    ] as const) {
      await using dataset = await StreamingDataset.open(path, { ...options, transform: failingOn([5]) });
      const before: number[][] = [];
      const reading = async () => {
        for await (const batch of dataset.batches(3, { dropLast })) before.push(batch);
      };
      await failure(reading, "TRANSFORM_FAILED", "bad 5");
      expect(before).toEqual(expected);
    }
  });

  test("goes on after a failure once the loop is started anew", async () => {
    let broken = true;
    const transform = (batch: Parameters<ReturnType<typeof failingOn>>[0]) =>
      failingOn(broken ? [2] : [])(batch);
    await using dataset = await StreamingDataset.open(path, { ...options, readBatchSize: 2, transform });
    await failure(() => collect(dataset), "TRANSFORM_FAILED", "bad 2");
    broken = false;
    expect(await collect(dataset)).toEqual([2, 3, 4, 5, 6, 7]);
  });
});

describe("a function", () => {
  test("is asked once for each row that fails, in order, with the error of the row", async () => {
    const asked: LanceLoaderError[] = [];
    const handler = async (error: LanceLoaderError) => asked.push(error) > 0;
    await using dataset = await StreamingDataset.open(path, {
      ...options,
      transform: failingOn([1, 5, 6]),
      onTransformError: handler,
    });
    expect(await collect(dataset.batches(4))).toEqual([[0, 2, 3, 4], [7]]);
    expect(asked.map(({ code, cause }) => [code, cause])).toEqual(
      [1, 5, 6].map((id) => ["TRANSFORM_FAILED", new Error(`bad ${id}`)]),
    );
    expect(dataset.stats.rowsSkipped).toBe(3);
  });

  test("that says no fails the loop with the error of that row", async () => {
    await using dataset = await StreamingDataset.open(path, {
      ...options,
      transform: failingOn([5, 6]),
      onTransformError: (error) => (error.cause as Error).message === "bad 5",
    });
    const before: number[] = [];
    const reading = async () => {
      for await (const id of dataset) before.push(id);
    };
    await failure(reading, "TRANSFORM_FAILED", "the row with id 6: bad 6");
    expect(before).toEqual([0, 1, 2, 3]);
  });

  test.each<[string, () => boolean | Promise<boolean>]>([
    ["onTransformError failed: no idea", () => Promise.reject(new Error("no idea"))],
    [
      "onTransformError failed: undefined",
      () => {
        throw undefined;
      },
    ],
    ["onTransformError gave 1: it must give true", () => 1 as unknown as boolean],
  ])("that fails itself fails the loop: %s", async (message, onTransformError) => {
    const transform = failingOn([5]);
    await using dataset = await StreamingDataset.open(path, { ...options, transform, onTransformError });
    await failure(() => collect(dataset), "TRANSFORM_FAILED", message, "bad 5");
  });
});

test("a batch of which no row fails alone loses none, under every policy but raise", async () => {
  for (const policy of ["skip", "warn", () => false] as const) {
    const transform = (batch: Parameters<ReturnType<typeof failingOn>>[0]) => {
      if (batch.numRows > 1) throw new Error("one at a time");
      return failingOn([])(batch);
    };
    await using dataset = await StreamingDataset.open(path, {
      ...options,
      transform,
      onTransformError: policy,
    });
    expect(await collect(dataset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(dataset.stats.rowsSkipped).toBe(0);
  }
  expect(warnings).not.toHaveBeenCalled();
});

test.each(["raise", "skip", "warn", () => true] as const)(
  "a wrong number of outputs is an error that names both counts, under %s",
  async (onTransformError) => {
    await using dataset = await StreamingDataset.open(path, {
      ...options,
      transform: (batch) => failingOn([])(batch).filter((id) => id !== 5),
      onTransformError,
    });
    const before: number[] = [];
    const reading = async () => {
      for await (const id of dataset) before.push(id);
    };
    await failure(reading, "TRANSFORM_FAILED", "3 outputs for a batch of 4 rows");
    expect(before).toEqual([0, 1, 2, 3]);
  },
);

test("a loop in which every row fails can be aborted by what needs a turn of the event loop", async () => {
  const many = await writeIds(tempFolder(), "many", 1000);
  const stopped = new AbortController();
  let calls = 0;
  await using dataset = await StreamingDataset.open(many, {
    fetch: "memory",
    readBatchSize: 4,
    signal: stopped.signal,
    onTransformError: "skip",
    transform: () => {
      // Rows are in memory by then, so that no read lets the event loop turn.
      if (dataset.epoch === 1 && ++calls === 200) setImmediate(() => stopped.abort());
      const end = performance.now() + 0.1;
      while (performance.now() < end);
      throw new Error("all are bad");
    },
  });
  expect(await collect(dataset)).toEqual([]);
  await failure(() => collect(dataset), "ABORTED");
  expect(calls).toBeLessThan(1000);
});
