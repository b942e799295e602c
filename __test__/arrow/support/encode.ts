import { halves, type ModelValue } from "./model.ts";
import { childSpecs, isShortTime, type Spec } from "./spec.ts";

/** A column's Arrow buffers: validity first, absent without nulls; the values of a dictionary are its child. */
export interface Encoded {
  spec: Spec;
  length: number;
  nullCount: number;
  validity: Uint8Array | undefined;
  /** The buffers after the validity, in the format's order. */
  buffers: ArrayBufferView[];
  children: Encoded[];
}

/** Encodes the values of a column by the letter of the Arrow format. */
export function encode(spec: Spec, values: readonly ModelValue[]): Encoded {
  const nullCount = values.filter((value) => value === null).length;
  const validity = nullCount === 0 ? undefined : bits(values.map((value) => value !== null));
  const column = { spec, length: values.length, nullCount, validity };
  switch (spec.kind) {
    case "null":
      return { ...column, validity: undefined, buffers: [], children: [] };
    case "utf8":
    case "binary":
      return { ...column, buffers: bytes(values), children: [] };
    case "list":
    case "map":
      return { ...column, ...listParts(spec, values) };
    case "fixed-list": {
      const absent: ModelValue[] = new Array(spec.size).fill(null);
      const items = values.flatMap((value) => (value as ModelValue[] | null) ?? absent);
      return { ...column, buffers: [], children: [encode(spec.item, items)] };
    }
    case "struct":
      return { ...column, buffers: [], children: structChildren(spec, values) };
    case "dictionary":
      return { ...column, ...dictionaryParts(spec, values) };
    default:
      return { ...column, buffers: [fixed(spec, values)], children: [] };
  }
}

function bits(flags: readonly boolean[]): Uint8Array {
  const packed = new Uint8Array(Math.ceil(flags.length / 8));
  for (const [index, flag] of flags.entries()) {
    if (flag) packed[index >> 3] = (packed[index >> 3] ?? 0) + 2 ** (index % 8);
  }
  return packed;
}

function bytes(values: readonly ModelValue[]): ArrayBufferView[] {
  const pieces = values.map((value) =>
    typeof value === "string" ? Buffer.from(value) : ((value ?? []) as Uint8Array),
  );
  return [
    offsets(pieces.map((piece) => piece.length)),
    Uint8Array.from(pieces.flatMap((piece) => [...piece])),
  ];
}

function offsets(lengths: readonly number[]): Int32Array {
  let end = 0;
  return Int32Array.from([0, ...lengths.map((length) => (end += length))]);
}

function listParts(spec: Spec, values: readonly ModelValue[]): Pick<Encoded, "buffers" | "children"> {
  const lists = values.map((value) =>
    value instanceof Map
      ? [...value].map(([key, item]) => ({ key, value: item }))
      : ((value ?? []) as ModelValue[]),
  );
  const [[, item]] = childSpecs(spec) as [[string, Spec]];
  return { buffers: [offsets(lists.map((list) => list.length))], children: [encode(item, lists.flat())] };
}

function structChildren(spec: Spec & { kind: "struct" }, values: readonly ModelValue[]): Encoded[] {
  return Object.entries(spec.fields).map(([name, field]) =>
    encode(
      field,
      values.map((value) => (value as Record<string, ModelValue> | null)?.[name] ?? null),
    ),
  );
}

function dictionaryParts(
  spec: Spec & { kind: "dictionary" },
  values: readonly ModelValue[],
): Pick<Encoded, "buffers" | "children"> {
  const distinct = [...new Set(values)].filter((value) => value !== null);
  const keys = values.map((value) => (value === null ? 0 : distinct.indexOf(value)));
  const buffer = fixed({ kind: "int", signed: true, bits: spec.bits }, keys);
  return { buffers: [buffer], children: [encode(spec.value, distinct)] };
}

function fixed(spec: Spec, values: readonly ModelValue[]): ArrayBufferView {
  if (spec.kind === "bool") return bits(values.map((value) => value === true));
  const width = byteWidth(spec);
  const view = new DataView(new ArrayBuffer(values.length * width));
  for (const [index, value] of values.entries())
    if (value !== null) write(view, index * width, width, spec, value);
  return new Uint8Array(view.buffer);
}

function byteWidth(spec: Spec): number {
  switch (spec.kind) {
    case "int":
    case "float":
    case "decimal":
      return spec.bits / 8;
    case "fixed-binary":
      return spec.width;
    case "date":
      return spec.unit === "day" ? 4 : 8;
    case "time":
      return isShortTime(spec.unit) ? 4 : 8;
    case "interval":
      return spec.unit === "year-month" ? 4 : 8;
    default:
      return 8;
  }
}

function write(view: DataView, at: number, width: number, spec: Spec, value: ModelValue): void {
  if (value instanceof Uint8Array) {
    new Uint8Array(view.buffer).set(value, at);
  } else if (spec.kind === "float" && spec.bits !== 16) {
    if (spec.bits === 32) view.setFloat32(at, value as number, true);
    else view.setFloat64(at, value as number, true);
  } else if (spec.kind === "interval" && spec.unit === "day-time") {
    const { days, milliseconds } = value as { days: number; milliseconds: number };
    view.setInt32(at, days, true);
    view.setInt32(at + 4, milliseconds, true);
  } else {
    let rest = storedInteger(spec, value);
    for (let byte = 0; byte < width; byte++, rest >>= 8n) view.setUint8(at + byte, Number(rest & 0xffn));
  }
}

function storedInteger(spec: Spec, value: ModelValue): bigint {
  if (value instanceof Date) {
    const unit = { day: 86_400_000, s: 1000, ms: 1 }[(spec as { unit: "day" | "s" | "ms" }).unit];
    return BigInt(value.getTime() / unit);
  }
  if (spec.kind === "decimal") {
    const unscaled = BigInt((value as string).replace(".", ""));
    return spec.scale < 0 ? unscaled / 10n ** BigInt(-spec.scale) : unscaled;
  }
  if (spec.kind === "float") return BigInt(halves.get(value as number) as number);
  return BigInt(value as number | bigint);
}
