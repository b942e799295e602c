import { describe, expect, it } from "vitest";
import { failure, json, run } from "./support/command.ts";

interface Result {
  readonly rows: number;
  readonly ranks: number;
  readonly way: string;
  readonly walk: {
    readonly samplesPerRank: number;
    readonly walkedRanks: readonly number[];
    readonly distinct: boolean;
    readonly requestsPerSample: number;
    readonly stateBytes: number;
  };
  readonly estimate: {
    readonly requestsPerSecond: number;
    readonly requestsPerSecondPerRank: number;
    readonly bytesPerSecond: number;
    readonly memoryPerRank: number;
    readonly firstBatchSeconds: number;
    readonly samplesPerSecondPerRank: number;
    readonly heldBackBy: string;
    readonly meetsDemand: boolean;
    readonly limits: Readonly<Record<string, number | null>>;
  };
}

async function simulate(...args: readonly string[]): Promise<Result[]> {
  return (await json<{ results: Result[] }>(["simulate", ...args])).results;
}

describe("simulate", () => {
  it("walks_ten_billion_rows_on_4096_ranks_without_meeting_a_row_twice", async () => {
    const results = await simulate("--rows", "1e10", "--ranks", "1,4096");
    expect(results.map(({ ranks, way }) => [ranks, way])).toEqual([
      [1, "take"],
      [1, "clump"],
      [1, "scratch"],
      [4096, "take"],
      [4096, "clump"],
      [4096, "scratch"],
    ]);
    for (const { ranks, walk } of results) {
      expect(walk.distinct).toBe(true);
      // Of each of 4096 splits as many rows; a few are left over.
      expect(walk.samplesPerRank).toBe((Math.floor(1e10 / 4096) * 4096) / ranks);
      expect(walk.walkedRanks).toEqual(ranks === 1 ? [0] : [0, 2048, 4095]);
    }
  });

  it("counts_about_a_request_a_row_for_takes_and_one_a_clump_for_clumps", async () => {
    // Each rank owns one split, whose clumps come one after the other.
    const [take, clump] = await simulate(
      "--rows",
      "1e9",
      "--ranks",
      "64",
      "--num-splits",
      "64",
      "--clump",
      "100",
    );
    expect(take?.walk.requestsPerSample).toBeGreaterThan(0.98);
    expect(clump?.walk.requestsPerSample).toBeGreaterThan(0.0098);
    expect(clump?.walk.requestsPerSample).toBeLessThan(0.0102);
  });

  it("names_the_limit_that_is_met_first", async () => {
    const common = ["--rows", "1e8", "--ranks", "64", "--samples-per-second", "100"];
    const first = async (...args: readonly string[]) => (await simulate(...common, ...args))[0]?.estimate;
    const store = await first("--store-requests", "550");
    expect(store).toMatchObject({ heldBackBy: "requests of the store", meetsDemand: false });
    // 550 requests for 64 ranks, and nearly one for each row.
    expect(store?.samplesPerSecondPerRank).toBeGreaterThan(550 / 64);
    expect(store?.samplesPerSecondPerRank).toBeLessThan(550 / 64 / 0.7);
    const prefixes = await first("--store-requests", "550", "--prefixes", "100");
    expect(prefixes).toMatchObject({ meetsDemand: true });
    const latency = await first("--store-requests", "1e9", "--latency", "20000");
    expect(latency?.heldBackBy).toBe("latency of requests");
    const network = await first("--store-requests", "1e9", "--network", "1MB", "--row-bytes", "64KiB");
    expect(network?.heldBackBy).toBe("network of a machine");
  });

  it("sums_up_over_ranks_and_says_what_scratch_needs", async () => {
    const results = await simulate("--rows", "1e9", "--ranks", "8", "--samples-per-second", "10");
    for (const { estimate } of results) {
      expect(estimate.requestsPerSecond).toBeCloseTo(8 * estimate.requestsPerSecondPerRank, 6);
      expect(estimate.samplesPerSecondPerRank).toBe(
        Math.min(...Object.values(estimate.limits).map((limit) => limit ?? Infinity)),
      );
      expect(estimate.firstBatchSeconds).toBeGreaterThan(0);
    }
    // 2 bytes a row of the table, which 1 GiB does not hold.
    expect(results[2]?.estimate).toMatchObject({
      heldBackBy: "memory for scratch",
      samplesPerSecondPerRank: 0,
    });
    expect(results[2]?.estimate.memoryPerRank).toBeGreaterThan(2e9);
    const [, , roomy] = await simulate("--rows", "1e9", "--ranks", "8", "--memory-budget", "4GiB");
    expect(roomy?.estimate.heldBackBy).not.toBe("memory for scratch");
  });

  it("prints_a_table_and_what_holds_each_way_back", async () => {
    const { code, lines, errors } = await run([
      "simulate",
      "--rows",
      "1e7",
      "--ranks",
      "1,2",
      "--num-splits",
      "2",
    ]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(lines[0]).toMatch(/^ *rows +ranks +way .* held back by$/);
    expect(lines.filter((line) => /^10,000,000 rows, (take|clump|scratch): /.test(line))).toHaveLength(3);
  });

  it.each([
    ["ranks_that_do_not_divide_the_splits", ["--ranks", "3"], "INVALID_ARGUMENT"],
    ["fewer_rows_than_splits", ["--rows", "100"], "TOO_FEW_ROWS"],
    ["clumps_of_one_row", ["--clump", "1"], "USAGE"],
  ])("refuses_%s", async (_, args, code) => {
    await failure(["simulate", ...args], 2, code);
  });
});
