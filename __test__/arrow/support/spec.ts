import type { DataType, Dictionary, Field } from "apache-arrow";

/** A copy of apache-arrow: the installed one, another version, or a second instance of the same. */
export type Arrow = typeof import("apache-arrow");

/** A column's type, in words of our own, so that tests do not lean on what they test. */
export type Spec =
  | { kind: "null" | "bool" | "utf8" | "binary" }
  | { kind: "int"; signed: boolean; bits: 8 | 16 | 32 | 64 }
  | { kind: "float"; bits: 16 | 32 | 64 }
  | { kind: "fixed-binary"; width: number }
  | { kind: "decimal"; bits: 128 | 256; scale: number }
  | { kind: "date"; unit: "day" | "ms" }
  | { kind: "timestamp" | "time" | "duration"; unit: TimeUnit }
  | { kind: "interval"; unit: "year-month" | "day-time" }
  | { kind: "list"; item: Spec }
  | { kind: "fixed-list"; size: number; item: Spec }
  | { kind: "struct"; fields: Record<string, Spec> }
  | { kind: "map"; key: Spec; value: Spec }
  | { kind: "dictionary"; bits: 8 | 16 | 32; value: Spec };

export type TimeUnit = "s" | "ms" | "us" | "ns";

const timeUnits: TimeUnit[] = ["s", "ms", "us", "ns"];

/** The type with the classes of one copy of apache-arrow. */
export function arrowType(arrow: Arrow, spec: Spec): DataType {
  switch (spec.kind) {
    case "null":
      return new arrow.Null();
    case "bool":
      return new arrow.Bool();
    case "utf8":
      return new arrow.Utf8();
    case "binary":
      return new arrow.Binary();
    case "int":
      return new arrow.Int(spec.signed as true, spec.bits as 32);
    case "float":
      return new arrow.Float({ 16: 0, 32: 1, 64: 2 }[spec.bits]);
    case "fixed-binary":
      return new arrow.FixedSizeBinary(spec.width);
    case "decimal":
      return new arrow.Decimal(spec.scale, spec.bits === 128 ? 38 : 76, spec.bits);
    case "date":
      return new arrow.Date_(spec.unit === "day" ? 0 : 1);
    case "timestamp":
      return new arrow.Timestamp(timeUnits.indexOf(spec.unit), "UTC");
    case "time":
      return new arrow.Time(timeUnits.indexOf(spec.unit), isShortTime(spec.unit) ? 32 : 64);
    case "duration":
      return new arrow.Duration(timeUnits.indexOf(spec.unit));
    case "interval":
      return new arrow.Interval(spec.unit === "year-month" ? 0 : 1);
    default:
      return nestedType(arrow, spec);
  }
}

/** Whether times in this unit have 32 bits. */
export function isShortTime(unit: TimeUnit): boolean {
  return unit === "s" || unit === "ms";
}

/** The specs of the children of a nested type, by the names that Arrow gives them. */
export function childSpecs(spec: Spec): [name: string, spec: Spec][] {
  switch (spec.kind) {
    case "list":
    case "fixed-list":
      return [["item", spec.item]];
    case "struct":
      return Object.entries(spec.fields);
    case "map":
      return [["entries", { kind: "struct", fields: { key: spec.key, value: spec.value } }]];
    default:
      return [];
  }
}

function nestedType(arrow: Arrow, spec: Spec): DataType {
  const fields: Field[] = childSpecs(spec).map(
    ([name, child]) => new arrow.Field(name, arrowType(arrow, child), true, new Map([["note", name]])),
  );
  switch (spec.kind) {
    case "list":
      return new arrow.List(fields[0] as Field);
    case "fixed-list":
      return new arrow.FixedSizeList(spec.size, fields[0] as Field);
    case "map":
      return new arrow.Map_(fields[0] as Field);
    case "dictionary":
      return new arrow.Dictionary(
        arrowType(arrow, spec.value),
        new arrow.Int(true as true, spec.bits as 32) as Dictionary["indices"],
      );
    default:
      return new arrow.Struct(fields);
  }
}
