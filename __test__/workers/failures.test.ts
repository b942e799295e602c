import { describe, expect, it } from "vitest";
import {
  type ErrorCode,
  type OnTransformError,
  StreamingDataLoader,
  StreamingDataset,
} from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { known } from "../support/known.ts";
import { idsOf, readIds } from "../support/reading.ts";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { failsBy } from "./modules/failing.ts";
import { failing, moduleOf, openWith } from "./support.ts";

const rows = 200;
const at = 100;
const batchSize = 10;
const table = await writeIds(tempFolder(), "ids", rows);
const policies: [string, OnTransformError][] = [
  ["raise", "raise"],
  ["skip", "skip"],
  ["a function that skips", () => true],
];

/** Loops until the loop fails, and answers what was handed over before, by which the state has moved. */
async function handedOver(dataset: StreamingDataset, code: ErrorCode, ...parts: string[]): Promise<number[]> {
  const ids: number[] = [];
  const before = consumed(dataset);
  await failure(
    async () => {
      for await (const batch of dataset.batches(batchSize)) ids.push(...idsOf(batch));
    },
    code,
    ...parts,
  );
  expect(consumed(dataset)).toBe(before + ids.length);
  return ids;
}

function consumed(dataset: StreamingDataset): number {
  return known((dataset.stateDict().samples_consumed_per_split as number[])[0]);
}

describe.each(policies)(
  "a worker thread that is lost, when onTransformError is %s",
  (_, onTransformError) => {
    it.each([
      ["exits", "exit code 3"],
      ["throws_elsewhere", "nobody caught this"],
    ])("is_an_error_of_the_batch_that_needed_it_where_it_%s", async (how, message) => {
      await using dataset = await openWith(table, failing(how, at), { onTransformError });
      const ids = await handedOver(dataset, "WORKER_FAILED", "failing.ts", message);
      expect(ids).toEqual(range(0, Math.floor(at / 30) * 30));
      expect(dataset.stats.rowsSkipped).toBe(0);
      // What is left is read by another loop, whose threads are new.
      const state = dataset.stateDict();
      await using other = await openWith(table, failing("exits", -1), { state });
      expect([...ids, ...(await readIds(other, batchSize))]).toEqual(range(0, rows));
      expect(await handedOver(dataset, "WORKER_FAILED")).toEqual([]);
    });
  },
);

describe("a module transform that throws", () => {
  it.each([
    ["throws_an_error", "the transform failed"],
    ["throws_undefined", "undefined"],
    ["rejects", "the transform failed"],
  ])("fails_as_a_function_does_where_it_%s", async (how, message) => {
    const failures = [failing(how, at), failsBy(how, at)].map(async (transform) => {
      await using dataset = await StreamingDataset.open(table, { shuffle: false, transform });
      const { message: told, cause } = await failure(() => readIds(dataset), "TRANSFORM_FAILED", message);
      return { told, cause: String(cause), state: dataset.stateDict() };
    });
    const [inThread, here] = await Promise.all(failures);
    expect(inThread).toEqual(here);
  });

  it.each(policies.slice(1))(
    "loses_only_the_row_that_fails_when_onTransformError_is_%s",
    async (_, onTransformError) => {
      await using dataset = await openWith(table, failing("throws_an_error", at), { onTransformError });
      expect(await readIds(dataset, batchSize)).toEqual(range(0, rows).filter((id) => id !== at));
      expect(dataset.stats.rowsSkipped).toBe(1);
    },
  );
});

describe("an output that is none", () => {
  it.each<[string, ErrorCode, string]>([
    ["gives_a_function", "TRANSFORM_FAILED", "can't be sent"],
    ["gives_too_few", "TRANSFORM_FAILED", ""],
  ])("is_an_error_under_every_policy_where_the_module_%s", async (how, code, message) => {
    for (const [, onTransformError] of policies) {
      await using dataset = await openWith(table, failing(how, at), { onTransformError });
      expect(await handedOver(dataset, code, message)).toEqual(range(0, 90));
    }
  });
});

describe("a module that can't be used", () => {
  it.each<[string, ErrorCode, string]>([
    ["no-such-file.ts", "WORKER_FAILED", "no-such-file.ts"],
    ["broken.ts", "WORKER_FAILED", "the module is broken"],
    ["no-default.ts", "INVALID_ARGUMENT", "default export is missing"],
    ["no-function.ts", "INVALID_ARGUMENT", "default export is of type object"],
  ])("is_an_error_of_the_first_batch_where_it_is_%s", async (name, code, message) => {
    await using dataset = await openWith(table, moduleOf(name), { onTransformError: "skip" });
    for (let loop = 0; loop < 2; loop++) expect(await handedOver(dataset, code, message)).toEqual([]);
  });

  it.each(["./transform.js", "../transform.js", "/transform.js", "C:\\transform.js", ".", ""])(
    "is_refused_where_it_is_the_path_%j",
    async (transform) => {
      await failure(() => openWith(table, transform), "INVALID_ARGUMENT", "transform is", "URL");
    },
  );

  it("is_an_error_of_the_first_batch_where_there_is_no_such_package", async () => {
    await using dataset = await openWith(table, "no-such-package");
    await handedOver(dataset, "WORKER_FAILED", "no-such-package");
  });
});

describe("numWorkers", () => {
  it("is_refused_with_a_function_and_where_it_is_no_number_of_threads", async () => {
    await using dataset = await StreamingDataset.open(table, { transform: (batch) => batch });
    await failure(() => dataset.batches(10, { numWorkers: 2 }), "INVALID_ARGUMENT", "numWorkers is 2");
    await failure(
      () => new StreamingDataLoader(dataset, { numWorkers: 2 }),
      "INVALID_ARGUMENT",
      "numWorkers is 2",
    );
    await failure(() => dataset.batches(10, { numWorkers: -1 }), "INVALID_ARGUMENT", "numWorkers is -1");
    expect(await readIds(dataset)).toHaveLength(rows);
  });
});
