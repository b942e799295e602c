import fc from "fast-check";
import { isShortTime, type Spec } from "./spec.ts";

/** A value as the model has it: as a row would, except that lists are always arrays. */
export type ModelValue =
  | null
  | number
  | bigint
  | boolean
  | string
  | Date
  | Uint8Array
  | ModelValue[]
  | Map<ModelValue, ModelValue>
  | { [name: string]: ModelValue };

/** Halves and the bits that they have, from the tables of IEEE 754. */
export const halves = new Map([
  [0, 0x0000],
  [1, 0x3c00],
  [-2, 0xc000],
  [65504, 0x7bff],
  [2 ** -24, 0x0001],
  [0.333251953125, 0x3555],
  [Number.POSITIVE_INFINITY, 0x7c00],
  [Number.NEGATIVE_INFINITY, 0xfc00],
]);

/** Values of a type, some of them null. */
export function values(spec: Spec): fc.Arbitrary<ModelValue> {
  return spec.kind === "null" ? fc.constant(null) : fc.option(present(spec), { freq: 4, nil: null });
}

function present(spec: Spec): fc.Arbitrary<ModelValue> {
  switch (spec.kind) {
    case "null":
      return fc.constant(null);
    case "bool":
      return fc.boolean();
    case "utf8":
      return fc.oneof(
        fc.string({ maxLength: 30 }),
        fc.string({ unit: "binary", maxLength: 6 }),
        fc.constant("\ufeffé"),
      );
    case "binary":
      return fc.uint8Array({ maxLength: 5 });
    case "fixed-binary":
      return fc.uint8Array({ minLength: spec.width, maxLength: spec.width });
    case "int":
      return integers(spec.signed, spec.bits);
    case "float":
      if (spec.bits === 16) return fc.constantFrom(...halves.keys());
      return spec.bits === 32 ? fc.float() : fc.double();
    case "decimal":
      return fc
        .bigInt({ min: -(2n ** BigInt(spec.bits - 1)), max: 2n ** BigInt(spec.bits - 1) - 1n })
        .map((unscaled) => decimal(unscaled, spec.scale));
    case "interval":
      return spec.unit === "year-month"
        ? integers(true, 32)
        : fc.record(
            { days: integers(true, 32), milliseconds: integers(true, 32) },
            { noNullPrototype: true },
          );
    case "date":
    case "timestamp":
    case "time":
    case "duration":
      return temporal(spec);
    default:
      return nested(spec);
  }
}

function integers(signed: boolean, bits: number): fc.Arbitrary<ModelValue> {
  const span = 2n ** BigInt(bits);
  const [min, max] = signed ? [-span / 2n, span / 2n - 1n] : [0n, span - 1n];
  const any = fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max));
  return bits === 64 ? any : any.map(Number);
}

function temporal(
  spec: Spec & { kind: "date" | "timestamp" | "time" | "duration" },
): fc.Arbitrary<ModelValue> {
  const days = fc.integer({ min: -100_000_000, max: 100_000_000 });
  if (spec.kind === "date") {
    return spec.unit === "day"
      ? days.map((day) => new Date(day * 86_400_000))
      : fc.date({ noInvalidDate: true });
  }
  if (spec.kind === "time") return integers(true, isShortTime(spec.unit) ? 32 : 64);
  if (spec.kind === "duration" || !isShortTime(spec.unit)) return integers(true, 64);
  if (spec.unit === "ms") return fc.date({ noInvalidDate: true });
  return days.map((second) => new Date(second * 1000));
}

function nested(spec: Spec): fc.Arbitrary<ModelValue> {
  switch (spec.kind) {
    case "list":
      return fc.array(values(spec.item), { maxLength: 4 });
    case "fixed-list":
      return fc.array(values(spec.item), { minLength: spec.size, maxLength: spec.size });
    case "struct":
      return fc.record(
        Object.fromEntries(Object.entries(spec.fields).map(([name, field]) => [name, values(field)])),
      );
    case "map":
      return fc
        .array(fc.tuple(present(spec.key), values(spec.value)), { maxLength: 3 })
        .map((entries) => new Map(entries));
    case "dictionary":
      return present(spec.value);
    default:
      throw new Error(`${spec.kind} is not nested`);
  }
}

/** The decimal `unscaled * 10^-scale`, written by cutting digits from the right. */
function decimal(unscaled: bigint, scale: number): string {
  if (scale <= 0) return `${unscaled * 10n ** BigInt(-scale)}`;
  const [sign, digits] = unscaled < 0n ? ["-", `${-unscaled}`] : ["", `${unscaled}`];
  const cut = digits.length - scale;
  return cut > 0
    ? `${sign}${digits.slice(0, cut)}.${digits.slice(cut)}`
    : `${sign}0.${"0".repeat(-cut)}${digits}`;
}
