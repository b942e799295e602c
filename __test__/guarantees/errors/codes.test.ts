import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorCodes } from "../../../src/index.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const committed = JSON.parse(read("error-codes.json")) as { core: string[]; face: string[] };
const rust = read("../../../crates/order/src/error.rs");

/** The code that the core writes for each variant. */
const written = new Map(
  Array.from(rust.matchAll(/Self::(\w+) => "([A-Z_]+)"/g), ([, variant, code]) => [variant, code]),
);

test("TypeScript has the committed codes, in their order", () => {
  expect(errorCodes).toEqual([...committed.core, ...committed.face]);
});

test("the core has the committed codes, in their order", () => {
  const [, all = ""] = /const ALL: \[Self; \d+\] = \[([^\]]*)\]/.exec(rust) ?? [];
  const listed = Array.from(all.matchAll(/Self::(\w+)/g), ([, variant]) => written.get(variant));
  expect(listed).toEqual(committed.core);
});

test("every variant of the core is written as a code, and no two as one", () => {
  const [, body = ""] = /pub enum Code \{([^}]*)\}/.exec(rust) ?? [];
  const variants = Array.from(body.matchAll(/^ {4}(\w+),$/gm), ([, variant]) => variant);
  expect([...written.keys()]).toEqual(variants);
  expect(new Set(written.values()).size).toBe(variants.length);
});
