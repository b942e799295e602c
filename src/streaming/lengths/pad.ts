import { type Data, DataType } from "apache-arrow";
import { Batch } from "../../arrow/batch.ts";
import type { Dtype, NumericArray } from "../../arrow/dtype.ts";
import { nullAt } from "../../arrow/nulls.ts";
import { numericOf, viewAs } from "../../arrow/numeric.ts";
import { hasLengths, lengthsOf, noLengths } from "../../arrow/variable-lengths.ts";
import { checkBoolean, checkInteger, invalid } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";

/** The length to which rows are padded: that of the longest row of the batch, or this one. */
export type PadTo = "longest" | number;

/** How rows of unequal length are padded. */
export interface PadOptions {
  /** The length of a row. */
  readonly padTo: PadTo;
  /** What is put behind a row's own values, and in the place of nulls in it. @default 0 */
  readonly padValue?: number | bigint;
  /** Whether rows that are longer than `padTo` are cut; if not, they are an error. @default false */
  readonly truncate?: boolean;
}

/** A column of rows of unequal length as one dense array. */
export interface PaddedColumn {
  /** The type of an element; strings and binaries are `uint8`, their (UTF-8) bytes. */
  readonly dtype: Dtype;
  /** Rows, and values of a row. */
  readonly shape: readonly [batch: number, length: number];
  /** The values, row after row. */
  readonly data: NumericArray;
  /** The same shape: 1 where there is a value, 0 where there is padding or a null. */
  readonly mask: Uint8Array;
  /** The values of each row, after a cut; 0 for a null. */
  readonly lengths: Int32Array;
}

/** A batch, and its columns of strings, binaries and lists padded to one length each. */
export interface PaddedBatch {
  /** All columns as they were read. */
  readonly batch: Batch;
  /** The columns of unequal lengths by name. */
  readonly padded: Readonly<Record<string, PaddedColumn>>;
}

/**
 * Pads every column of strings, binaries and lists of numbers of a batch. Takes memory for the longest row times the rows.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` for what is no batch, a row longer than `padTo` without `truncate`, or a `padValue` that the type has no place for;
 * `UNSUPPORTED_TYPE` where the items of a list are not numbers; `BATCH_TOO_LARGE` for more than 2^31 - 1 values.
 */
export function padBatch(batch: Batch, options: PadOptions): PaddedBatch {
  if (!(batch instanceof Batch))
    throw invalid(
      "batch",
      batch,
      "a Batch: a transform whose outputs are padded must give columns or Arrow data",
    );
  const pad = checkPadOptions(options);
  const columns = batch.schema.fields.filter(({ type }) => hasLengths(type));
  const padded = columns.map(({ name }) => [name, padColumn(batch, name, pad)] as const);
  return { batch, padded: Object.fromEntries(padded) };
}

/**
 * Checks options and fills in defaults.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
 */
export function checkPadOptions({ padTo, padValue = 0, truncate = false }: PadOptions): Required<PadOptions> {
  if (padTo !== "longest") {
    if (typeof padTo !== "number") throw invalid("padTo", padTo, '"longest" or a length');
    checkInteger("padTo", padTo, 1, 2 ** 31 - 1);
  }
  if (typeof padValue !== "number" && typeof padValue !== "bigint")
    throw invalid("padValue", padValue, "a number or a bigint");
  return { padTo, padValue, truncate: checkBoolean("truncate", truncate) };
}

function padColumn(
  batch: Batch,
  name: string,
  { padTo, padValue, truncate }: Required<PadOptions>,
): PaddedColumn {
  const [data] = batch.vector(name).data;
  if (data === undefined) throw noLengths(name, undefined);
  const { items, dtype } = itemsOf(name, data);
  const own = lengthsOf(batch, name);
  const longest = own.reduce((most, length) => Math.max(most, length), 0);
  const length = padTo === "longest" ? longest : padTo;
  if (longest > length && !truncate) throw tooLong(name, own, length);
  const size = checkSize(name, batch.numRows, length);
  const values = filled(items.values, size, padValue);
  const mask = new Uint8Array(size);
  const lengths = own.map((count) => Math.min(count, length));
  for (const [row, count] of lengths.entries()) {
    const first = data.valueOffsets[row] ?? 0;
    const at = row * length;
    values.set(items.values.subarray(first, first + count) as never, at);
    mask.fill(1, at, at + count);
    if (items.nulls === undefined) continue;
    for (let index = 0; index < count; index++) {
      if (!nullAt(items.nulls, first + index)) continue;
      mask[at + index] = 0;
      values[at + index] = values[size] as never;
    }
  }
  return { dtype, shape: [batch.numRows, length], data: values.subarray(0, size), mask, lengths };
}

interface Items {
  readonly values: NumericArray;
  /** The items, where some are null. */
  readonly nulls: Data | undefined;
}

/** What the rows of a column are made of. */
function itemsOf(name: string, data: Data): { readonly items: Items; readonly dtype: Dtype } {
  if (!DataType.isList(data.type))
    return { items: { values: data.values, nulls: undefined }, dtype: "uint8" };
  const [child] = data.children as Data[];
  const numeric = child && numericOf(child.type);
  if (child === undefined || numeric === undefined)
    throw new LanceLoaderError(
      "UNSUPPORTED_TYPE",
      `The column ${JSON.stringify(name)} has the Arrow type ${data.type}; lists of numbers can be padded: leave the column out, or collate it yourself.`,
    );
  const nulls = child.nullCount > 0 ? child : undefined;
  return { items: { values: viewAs(child.values, numeric.array), nulls }, dtype: numeric.dtype };
}

/** An array full of padding, and one more value to take padding from. */
function filled(like: NumericArray, size: number, padValue: number | bigint): NumericArray {
  const values = new (like.constructor as new (length: number) => NumericArray)(size + 1);
  const isWide = values instanceof BigInt64Array || values instanceof BigUint64Array;
  const whole = typeof padValue === "bigint" || Number.isInteger(padValue);
  const value = isWide && whole ? BigInt(padValue) : Number(padValue);
  if (!isWide || whole) {
    values.fill(value as never);
    if (
      Object.is(values[0], value) ||
      (values instanceof Float32Array && values[0] === Math.fround(Number(value)))
    )
      return values;
  }
  throw invalid("padValue", padValue, `a value of a ${values.constructor.name}`);
}

function checkSize(name: string, rows: number, length: number): number {
  if (rows * length < 2 ** 31) return rows * length;
  throw new LanceLoaderError(
    "BATCH_TOO_LARGE",
    `The column ${JSON.stringify(name)} would be padded to ${rows} rows of ${length} values: ask for fewer rows, or cut them with padTo and truncate.`,
  );
}

function tooLong(name: string, lengths: Int32Array, length: number): LanceLoaderError {
  const row = lengths.findIndex((own) => own > length);
  return new LanceLoaderError(
    "INVALID_ARGUMENT",
    `padTo is ${length}, but row ${row} of a batch has ${lengths[row]} values in the column ${JSON.stringify(name)}: raise padTo, use "longest", or cut rows with \`truncate: true\`.`,
  );
}
