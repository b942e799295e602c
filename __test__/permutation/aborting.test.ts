import { getEventListeners } from "node:events";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { platform } from "node:os";
import { setImmediate } from "node:timers/promises";
import { connect } from "@lancedb/lancedb";
import { Int64, makeData, Table, Vector } from "apache-arrow";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type PermutationBuilder,
  PermutationTable,
  permutationBuilder,
  StreamingDataset,
} from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const rows = 400_000;
const folder = tempFolder();
const temporary = tempFolder();
const reason = new Error("the user went home");
let path: string;
let controller: AbortController;
/** A build that goes through temporary files for a while. */
let spilling: PermutationBuilder;

beforeAll(async () => {
  const data = BigInt64Array.from({ length: rows }, (_, row) => BigInt(row));
  const key = new Vector([makeData({ type: new Int64(), data })]);
  await writeTable(folder, "keys", [new Table({ key })]);
  path = tablePath(folder, "keys");
  spilling = permutationBuilder(path)
    .splitHash({ columns: ["key"], splitWeights: [3, 1] })
    .shuffle({ seed: 1 })
    .memoryLimit(2 ** 16)
    .tempDir(temporary);
});

beforeEach(() => {
  controller = new AbortController();
});

async function aborted(work: () => unknown): Promise<void> {
  expect((await failure(work, "ABORTED", "signal")).cause).toBe(reason);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
}

/** The files of the temporary folder that this process holds open; they have no name. */
function openFiles(): string[] {
  const paths = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return paths.filter((file) => file.startsWith(temporary));
}

/** Everything that works on a permutation for a while. */
const works: [string, (signal: AbortSignal, turn: number) => Promise<unknown>][] = [
  ["execute", (signal) => spilling.execute({ signal })],
  ["persist", (signal, turn) => spilling.persist(folder, `split-${turn}`, { signal })],
  [
    "a split strategy",
    (signal) =>
      StreamingDataset.open(path, {
        signal,
        splitStrategy: (builder) =>
          builder
            .splitHash({ columns: ["key"], splitWeights: [1, 1] })
            .memoryLimit(2 ** 16)
            .tempDir(temporary),
      }),
  ],
];

describe.each(works)("a signal ends %s", (_, work) => {
  test("that it precedes", async () => {
    controller.abort(reason);
    await aborted(() => work(controller.signal, -1));
    expect(existsSync(tablePath(folder, "split--1"))).toBe(false);
  });

  test("at any moment, unless it comes too late, and its temporary files are gone", async () => {
    let ended = 0;
    for (let turns = 0; turns < 2 ** 12; turns = turns * 2 + 1) {
      const during = new AbortController();
      const working = work(during.signal, turns);
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      during.abort(reason);
      const outcome = await working.catch((error: unknown) => error);
      if (outcome instanceof StreamingDataset) await outcome.close();
      else if (!(outcome instanceof PermutationTable)) {
        ended++;
        expect(outcome).toMatchObject({ code: "ABORTED", cause: reason });
        expect(existsSync(tablePath(folder, `split-${turns}`))).toBe(false);
      }
      expect(getEventListeners(during.signal, "abort")).toEqual([]);
    }
    expect(ended).toBeGreaterThan(2);
    expect(readdirSync(temporary)).toEqual([]);
    if (platform() === "linux") await vi.waitFor(() => expect(openFiles()).toEqual([]), { timeout: 20_000 });
  });
});

test("a build that nobody ends goes through temporary files, and a signal that comes later changes nothing", async () => {
  const built = await spilling.execute({ signal: controller.signal });
  if (platform() === "linux") expect(openFiles().length).toBeGreaterThan(0);
  controller.abort(reason);
  expect(built.splitLengths.reduce((sum, length) => sum + length, 0)).toBe(rows);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("a name whose table was not finished is free, and LanceDB lists no table there", async () => {
  const built = await permutationBuilder(path).bootstrapSample({ numSamples: 3e7, fixed: 1 }).execute();
  const writing = built.persist(folder, "again", { signal: controller.signal });
  await vi.waitFor(() => expect(existsSync(tablePath(folder, "again"))).toBe(true), { interval: 1 });
  controller.abort(reason);
  await aborted(() => writing);
  expect(existsSync(tablePath(folder, "again"))).toBe(false);
  expect(await (await connect(folder)).tableNames()).not.toContain("again");
  const stored = await permutationBuilder(path)
    .splitSequential({ counts: [7] })
    .persist(folder, "again");
  expect(stored.splitLengths).toEqual([7]);
});

test.each([null, {}, "abort", 5])("the signal %j is refused", async (signal) => {
  const options = { signal } as never;
  await failure(() => permutationBuilder(path).execute(options), "INVALID_ARGUMENT", "signal");
  await failure(() => permutationBuilder(path).persist(folder, "x", options), "INVALID_ARGUMENT", "signal");
  await failure(() => permutationBuilder(path).execute({ sginal: 1 } as never), "INVALID_ARGUMENT", "sginal");
});
