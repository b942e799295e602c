import { expect, it } from "vitest";
import { didYouMean, nearestNames } from "../../src/nearest.ts";

it("the nearest names come first, and far ones not at all", () => {
  expect(nearestNames("lable", ["label", "table", "embedding", "lab"])).toStrictEqual([
    "table",
    "label",
    "lab",
  ]);
});

it("upper and lower case are the same", () => {
  expect(nearestNames("USERID", ["userId"])).toStrictEqual(["userId"]);
});

it("at most as many names as asked for", () => {
  expect(nearestNames("x", ["a", "b", "c", "d"], 2)).toHaveLength(2);
});

it("a message offers the nearest names, or else those that there are", () => {
  expect(didYouMean("lable", ["label"])).toBe('Did you mean "label"?');
  expect(didYouMean("embedding", ["id"])).toBe('There are "id".');
  expect(didYouMean("id", [])).toBe("There are none.");
  expect(
    didYouMean(
      "embedding",
      Array.from({ length: 22 }, (_, at) => `c${at}`),
    ),
  ).toMatch(/"c19", and 2 more\.$/);
});
