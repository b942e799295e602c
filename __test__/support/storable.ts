import type { Spec, TimeUnit } from "../arrow/support/spec.ts";

const timeUnits: readonly TimeUnit[] = ["s", "ms", "us", "ns"];
const int32: Spec = { kind: "int", signed: true, bits: 32 };
const utf8: Spec = { kind: "utf8" };

const flat: readonly Spec[] = [
  { kind: "null" },
  { kind: "bool" },
  utf8,
  { kind: "binary" },
  ...([8, 16, 32, 64] as const).flatMap((bits): Spec[] => [
    { kind: "int", signed: true, bits },
    { kind: "int", signed: false, bits },
  ]),
  ...([16, 32, 64] as const).map((bits): Spec => ({ kind: "float", bits })),
  { kind: "fixed-binary", width: 3 },
  { kind: "decimal", bits: 128, scale: 3 },
  { kind: "decimal", bits: 128, scale: -2 },
  { kind: "decimal", bits: 256, scale: 40 },
  { kind: "date", unit: "day" },
  { kind: "date", unit: "ms" },
  ...(["timestamp", "time", "duration"] as const).flatMap((kind) =>
    timeUnits.map((unit): Spec => ({ kind, unit })),
  ),
];

const nested: readonly Spec[] = [
  { kind: "list", item: int32 },
  { kind: "list", item: utf8 },
  { kind: "list", item: { kind: "float", bits: 16 } },
  { kind: "list", item: { kind: "list", item: { kind: "int", signed: true, bits: 64 } } },
  { kind: "list", item: { kind: "struct", fields: { a: int32, b: utf8 } } },
  { kind: "fixed-list", size: 3, item: { kind: "float", bits: 32 } },
  { kind: "fixed-list", size: 2, item: { kind: "float", bits: 16 } },
  { kind: "fixed-list", size: 3, item: { kind: "bool" } },
  { kind: "fixed-list", size: 2, item: { kind: "fixed-list", size: 2, item: int32 } },
  { kind: "struct", fields: { a: int32, b: utf8, c: { kind: "bool" } } },
  { kind: "struct", fields: { a: { kind: "struct", fields: { b: { kind: "list", item: int32 } } } } },
  { kind: "dictionary", bits: 8, value: utf8 },
  { kind: "dictionary", bits: 32, value: utf8 },
  { kind: "dictionary", bits: 16, value: { kind: "int", signed: true, bits: 64 } },
  { kind: "list", item: { kind: "dictionary", bits: 32, value: utf8 } },
];

/** The types that a Lance table stores and gives back with all their values and nulls. */
export const storable: readonly Spec[] = [...flat, ...nested];

/** A short name of a type. */
export function nameOf(spec: Spec): string {
  const { kind, ...rest } = spec;
  const details = Object.values(rest).map((detail) =>
    typeof detail !== "object"
      ? `${detail}`
      : "kind" in detail
        ? nameOf(detail as Spec)
        : Object.values(detail as Record<string, Spec>)
            .map(nameOf)
            .join(","),
  );
  return details.length === 0 ? kind : `${kind}(${details.join(" ")})`;
}
