import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RowIdSet } from "../../../src/command/check/row-id-set.ts";
import { summaryOf } from "../../../src/command/check/summary.ts";
import { byteSize, seed, wholeNumber } from "../../../src/command/options/parse.ts";
import { requestsFor } from "../../../src/command/requests.ts";
import { toJson } from "../../../src/command/terminal/json.ts";
import { bytes, seconds, table } from "../../../src/command/terminal/text.ts";

const rowId = fc.oneof(fc.bigInt(0n, 40n), fc.bigInt(0n, (1n << 64n) - 1n));

describe("the requests of a window", () => {
  it("are_one_for_each_run_of_rows_that_lie_near_enough", () => {
    const rows = fc.array(fc.bigInt(0n, 300n), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(rows, fc.nat(10), (window, gap) => {
        const wanted = new Set(window.map(Number));
        // A row is read where wanted ones lie on both of its sides, no more than the gap apart.
        const sorted = [...wanted].sort((one, other) => one - other);
        const breaks = sorted.filter((row, at) => at > 0 && row - (sorted[at - 1] ?? 0) > gap + 1).length;
        const between = sorted.reduce((sum, row, at) => {
          const distance = at === 0 ? 1 : row - (sorted[at - 1] ?? 0);
          return sum + (distance > gap + 1 ? 1 : distance);
        }, 0);
        const expected = { requests: breaks + 1, rows: wanted.size, rowsRead: between };
        expect(requestsFor(BigUint64Array.from(window), gap)).toEqual(expected);
      }),
    );
  });
});

describe("a set of row ids", () => {
  it("counts_as_a_set_does", () => {
    fc.assert(
      fc.property(fc.array(fc.array(rowId, { maxLength: 30 }), { maxLength: 6 }), (batches) => {
        const [set, model] = [new RowIdSet(), new Set<bigint>()];
        for (const batch of batches) {
          const before = model.size;
          for (const id of batch) model.add(id);
          expect(set.add(BigUint64Array.from(batch))).toBe(batch.length - (model.size - before));
          expect(set.size).toBe(model.size);
        }
      }),
    );
  });
});

describe("the summary of a check", () => {
  const rank = {
    planned: 10,
    handedOver: 10,
    outOfOrder: 0,
    repeated: 0,
    skipped: 0,
    dropped: 0,
    seconds: 1,
    firstBatchSeconds: 0.5,
    bytesLoaded: 100,
    fetch: null,
  };

  it.each([
    ["nothing", {}, []],
    ["rows_at_another_place", { outOfOrder: 2 }, ["2 rows stand at another place than the plan says"]],
    ["rows_that_came_twice", { repeated: 1 }, ["1 rows came more than once"]],
    ["rows_that_did_not_come", { handedOver: 7 }, ["3 rows of the plan did not come"]],
    [
      "rows_that_were_skipped_and_others_at_the_end",
      { handedOver: 7, skipped: 1 },
      ["1 rows were lost to the transform"],
    ],
  ])("finds_fault_with_%s", (_, changes, faults) => {
    expect(summaryOf([rank, { ...rank, ...changes }], 20, [], true).faults).toEqual(faults);
  });

  it("finds_no_fault_with_the_repeats_of_a_permutation", () => {
    expect(summaryOf([{ ...rank, repeated: 4 }], 6, [], false)).toMatchObject({ repeated: 4, faults: [] });
  });
});

describe("values on the command line", () => {
  it.each([
    ["1024", 1024],
    ["64MiB", 64 * 2 ** 20],
    ["64 mi", 64 * 2 ** 20],
    ["1.5GB", 1.5e9],
    ["0.5k", 500],
  ])("%s_is_%i_bytes", (text, bytes) => expect(byteSize(text)).toBe(bytes));

  it.each(["", "-1", "1e3", "5 XB", "MiB", "1..2", "99999TiB"])("%j_is_no_number_of_bytes", (text) => {
    expect(() => byteSize(text)).toThrow("number of bytes");
  });

  it.each([
    ["1e9", 1e9],
    ["1_000", 1000],
    ["7", 7],
  ])("%s_is_a_whole_number", (text, value) => expect(wholeNumber()(text)).toBe(value));

  it.each(["", "_", "1.5", "-3", "0x10", "1e99", "6"])("%j_is_no_whole_number_of_at_least_7", (text) => {
    expect(() => wholeNumber(7)(text)).toThrow("at least 7");
  });

  it("seeds_are_exact_up_to_the_largest", () => {
    expect(seed("18446744073709551615")).toBe((1n << 64n) - 1n);
    expect(() => seed("18446744073709551616")).toThrow("2^64");
  });
});

describe("a table of text", () => {
  it("aligns_numbers_to_the_right_and_words_to_the_left", () => {
    const rows = [
      ["id", "4 B", "1,000", "none"],
      ["vector", "1.5 KiB", "7", "12.3%"],
    ];
    expect(table(["name", "size", "rows", "share"], rows)).toEqual([
      "name       size   rows  share",
      "id          4 B  1,000   none",
      "vector  1.5 KiB      7  12.3%",
    ]);
  });

  it.each([
    [0, "0 B"],
    [1023, "1,023 B"],
    [1536, "1.5 KiB"],
    [2 ** 60, "1,024 PiB"],
  ])("%d_bytes_are_%s", (value, text) => expect(bytes(value)).toBe(text));

  it.each([
    [2e-6, "2 µs"],
    [0.5, "500 ms"],
    [90, "90 s"],
    [600, "10 min"],
    [86_400, "24 h"],
    [864_000, "10 days"],
  ])("%d_seconds_are_%s", (value, text) => expect(seconds(value)).toBe(text));
});

describe("JSON", () => {
  it("has_a_word_for_every_value_of_a_row", () => {
    const row = {
      large: 9007199254740993n,
      small: 7n,
      bytes: Uint8Array.of(1, 2, 255),
      buffer: Buffer.from([1, 2, 255]),
      vector: Float32Array.of(0.5, -1),
      nested: [{ at: new Date(0) }],
    };
    expect(JSON.parse(toJson(row))).toEqual({
      large: "9007199254740993",
      small: 7,
      bytes: "AQL/",
      buffer: "AQL/",
      vector: [0.5, -1],
      nested: [{ at: "1970-01-01T00:00:00.000Z" }],
    });
  });
});
