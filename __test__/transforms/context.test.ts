import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions, type Transform } from "../../src/index.ts";
import { collect } from "../support/reading.ts";
import { range, writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const path = await writeIds(tempFolder(), "ids", 40, { fragments: 2 });

/** What a transform was told of each row, by its id. */
async function told(options: StreamingDatasetOptions): Promise<Map<number, readonly [bigint, bigint]>> {
  const found = new Map<number, readonly [bigint, bigint]>();
  const transform: Transform = (batch, { rowIds, seeds }) => {
    const ids = Array.from(batch.column("id"), Number);
    expect([rowIds.length, seeds.length]).toEqual([ids.length, ids.length]);
    for (const [at, id] of ids.entries()) found.set(id, [rowIds[at] as bigint, seeds[at] as bigint]);
    return ids;
  };
  await using dataset = await StreamingDataset.open(path, { columns: ["id"], ...options, transform });
  await collect(dataset);
  return found;
}

async function rowIds(): Promise<Map<number, bigint>> {
  await using dataset = await StreamingDataset.open(path, { columns: ["id", "_rowid"] });
  return new Map((await collect(dataset)).map((row) => [Number(row["id"]), row["_rowid"] as bigint]));
}

describe("the context", () => {
  test("has the row id of each row", async () => {
    const found = await told({ numSplits: 2, readBatchSize: 3, shuffleSeed: 5 });
    const expected = await rowIds();
    expect(found.size).toBe(40);
    for (const [id, [rowId]] of found) expect(rowId).toBe(expected.get(id));
  });

  test("has seeds that depend on the seed, the epoch and the row only", async () => {
    const expected = await told({ shuffleSeed: 5, epoch: 2 });
    for (const options of [
      { numSplits: 4, readBatchSize: 1 },
      { shuffle: false },
      { shuffleClumpSize: 7, fetch: "take" },
      { numSplits: 4, transformParallelism: 1 },
    ] as const)
      expect(
        new Map(
          [...(await told({ shuffleSeed: 5, epoch: 2, ...options })).entries()].sort(([a], [b]) => a - b),
        ),
      ).toEqual(new Map([...expected.entries()].sort(([a], [b]) => a - b)));
    const seeds = (found: Map<number, readonly [bigint, bigint]>) =>
      range(0, 40).map((id) => found.get(id)?.[1]);
    const all = [
      ...seeds(expected),
      ...seeds(await told({ shuffleSeed: 5, epoch: 3 })),
      ...seeds(await told({ shuffleSeed: 6, epoch: 2 })),
    ];
    expect(new Set(all).size).toBe(120);
  });

  test("has seeds of which the golden vectors know some", async () => {
    const golden = JSON.parse(
      readFileSync(new URL("../golden/order/random.json", import.meta.url), "utf8"),
    ) as {
      cases: { domain: string; seed: string; epoch: string; indices: string[]; sample_seeds: string[] }[];
    };
    const cases = golden.cases.filter(({ domain }) => domain === "sample_seed");
    expect(cases.length).toBeGreaterThan(4);
    for (const { seed, epoch, indices, sample_seeds } of cases) {
      const found = await told({ shuffleSeed: BigInt(seed), epoch: Number(epoch) });
      for (const [rowId, sampleSeed] of found.values()) {
        const known = indices.indexOf(String(rowId));
        if (known >= 0) expect(String(sampleSeed)).toBe(sample_seeds[known]);
      }
      const known = [...found.values()].filter(([rowId]) => indices.includes(String(rowId)));
      expect(known.length).toBe(3);
    }
  });

  test("is that of one row where a batch is run again row by row", async () => {
    const again: (readonly [number, bigint, bigint])[] = [];
    const whole = await told({ shuffleSeed: 5 });
    const transform: Transform = (batch, { rowIds, seeds }) => {
      if (batch.numRows > 1) throw new Error("again");
      const [id = -1] = Array.from(batch.column("id"), Number);
      again.push([id, rowIds[0] as bigint, seeds[0] as bigint]);
      return [id];
    };
    await using dataset = await StreamingDataset.open(path, {
      shuffleSeed: 5,
      transform,
      onTransformError: "skip",
    });
    await collect(dataset);
    expect(new Map(again.map(([id, ...rest]) => [id, rest]))).toEqual(whole);
  });

  test("has a signal that aborts when the loop is left, and not before", async () => {
    const signals: AbortSignal[] = [];
    const transform: Transform = (batch, { signal, epoch }) => {
      signals.push(signal);
      return Array<number>(batch.numRows).fill(epoch);
    };
    await using dataset = await StreamingDataset.open(path, { transform, epoch: 3, readBatchSize: 4 });
    for await (const epoch of dataset) {
      expect(epoch).toBe(3);
      expect(signals.some(({ aborted }) => aborted)).toBe(false);
      break;
    }
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });
});
