import type { RowValue } from "../../../src/arrow/row-value.ts";
import type { ModelValue } from "./model.ts";
import { isShortTime, type Spec } from "./spec.ts";

/** The value that a row must hold for a value of the model. */
export function expected(spec: Spec, value: ModelValue): RowValue {
  if (value === null) return null;
  switch (spec.kind) {
    case "list":
    case "fixed-list":
      return expectedList(spec.item, value as ModelValue[]);
    case "struct": {
      const record = value as Record<string, ModelValue>;
      return Object.fromEntries(
        Object.entries(spec.fields).map(([name, field]) => [name, expected(field, record[name] ?? null)]),
      );
    }
    case "map": {
      const entries = [...(value as Map<ModelValue, ModelValue>)];
      return new Map(entries.map(([key, each]) => [expected(spec.key, key), expected(spec.value, each)]));
    }
    default:
      return value as RowValue;
  }
}

function expectedList(item: Spec, items: ModelValue[]): RowValue {
  const array = typedItems(item);
  if (array === undefined || items.includes(null)) return items.map((each) => expected(item, each));
  return array.from(items as never);
}

interface ArrayOf {
  from(items: never): Exclude<RowValue, null>;
}

function typedItems(spec: Spec): ArrayOf | undefined {
  switch (spec.kind) {
    case "int": {
      const { bits } = spec;
      const signed = { 8: Int8Array, 16: Int16Array, 32: Int32Array, 64: BigInt64Array };
      const unsigned = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: BigUint64Array };
      return (spec.signed ? signed : unsigned)[bits] as ArrayOf;
    }
    case "float":
      return spec.bits === 64 ? Float64Array : Float32Array;
    case "time":
      return isShortTime(spec.unit) ? Int32Array : (BigInt64Array as ArrayOf);
    case "timestamp":
      return isShortTime(spec.unit) ? undefined : (BigInt64Array as ArrayOf);
    case "duration":
      return BigInt64Array as ArrayOf;
    default:
      return undefined;
  }
}
