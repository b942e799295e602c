import fc from "fast-check";
import type { Spec, TimeUnit } from "./spec.ts";

const timeUnit = fc.constantFrom<TimeUnit>("s", "ms", "us", "ns");

const integer = fc.record({
  kind: fc.constant("int"),
  signed: fc.boolean(),
  bits: fc.constantFrom(8, 16, 32, 64),
});
const float = fc.record({ kind: fc.constant("float"), bits: fc.constantFrom(16, 32, 64) });
const temporal = fc.oneof(
  fc.record({ kind: fc.constant("date"), unit: fc.constantFrom("day", "ms") }),
  fc.record({ kind: fc.constantFrom("timestamp", "time", "duration"), unit: timeUnit }),
);

/** Types whose values are numbers of a fixed width, as typed arrays hold them. */
export const numericSpecs = fc.oneof(integer, float, temporal) as fc.Arbitrary<Spec>;

const flatSpecs = fc.oneof(
  { weight: 4, arbitrary: numericSpecs },
  fc.record({ kind: fc.constantFrom("null", "bool", "utf8", "binary") }),
  fc.record({ kind: fc.constant("fixed-binary"), width: fc.integer({ min: 1, max: 5 }) }),
  fc.record({
    kind: fc.constant("decimal"),
    bits: fc.constantFrom(128, 256),
    scale: fc.constantFrom(0, 3, 40, -2),
  }),
  fc.record({ kind: fc.constant("interval"), unit: fc.constantFrom("year-month", "day-time") }),
) as fc.Arbitrary<Spec>;

/** Types of every kind, nested up to three levels. */
export const specs: fc.Arbitrary<Spec> = fc.letrec<{ spec: Spec }>((tie) => ({
  spec: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 5, arbitrary: flatSpecs },
    fc.record({ kind: fc.constant("list"), item: tie("spec") }) as fc.Arbitrary<Spec>,
    fc.record({
      kind: fc.constant("fixed-list"),
      size: fc.integer({ min: 1, max: 3 }),
      item: tie("spec"),
    }) as fc.Arbitrary<Spec>,
    fc.record({
      kind: fc.constant("struct"),
      fields: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("spec"), {
        minKeys: 1,
        noNullPrototype: true,
      }),
    }) as fc.Arbitrary<Spec>,
    fc.record({
      kind: fc.constant("map"),
      key: fc.constant({ kind: "utf8" }),
      value: tie("spec"),
    }) as fc.Arbitrary<Spec>,
    fc.record({
      kind: fc.constant("dictionary"),
      bits: fc.constantFrom(8, 16, 32),
      value: fc.constantFrom(
        { kind: "utf8" },
        { kind: "int", signed: true, bits: 64 },
        { kind: "decimal", bits: 128, scale: 2 },
      ),
    }) as fc.Arbitrary<Spec>,
  ),
})).spec;
