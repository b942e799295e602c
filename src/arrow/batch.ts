import {
  type Data,
  type DataType,
  type Field,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Vector,
} from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import { type ArrowTable, acceptTable } from "./accept/accept.ts";
import { Column } from "./column.ts";
import { concatData } from "./concat/concat-data.ts";
import type { NumericArray } from "./dtype.ts";
import { heldBytes } from "./held-bytes.ts";
import { type NativeBatch, readLayout } from "./layout.ts";
import { makeData } from "./make-data.ts";
import type { Row } from "./row-value.ts";
import { SchemaPlan } from "./schema-plan.ts";
import { readTensor, type Tensor } from "./tensor.ts";

/**
 * Consecutive rows, stored by column.
 *
 * A batch never changes. Columns, vectors, tensors and rows are made when first asked for and kept, so treat what you get as
 * read-only. Whatever is a typed array, a vector or a table is a view of the batch's memory, which lives as long as any of them.
 */
export class Batch {
  /** The columns' names and types, as apache-arrow knows them. */
  readonly schema: Schema;
  /** The number of rows. */
  readonly numRows: number;
  /** The bytes of memory that the batch keeps alive: for a slice, those of all that it was cut from. */
  readonly numBytes: number;
  readonly #plan: SchemaPlan;
  readonly #columns: readonly Column[];
  readonly #start: number;
  readonly #tensors = new Map<string, Tensor>();
  readonly #vectors = new Map<string, Vector>();
  #rows: Row[] | undefined;
  #table: Table | undefined;

  private constructor(
    schema: Schema,
    columns: readonly Column[],
    start: number,
    numRows: number,
    numBytes: number,
  ) {
    this.schema = schema;
    this.numRows = numRows;
    this.numBytes = numBytes;
    this.#plan = SchemaPlan.of(schema);
    this.#columns = columns;
    this.#start = start;
  }

  /**
   * The batch that the addon handed over. Nothing is copied.
   *
   * @throws {@link LanceLoaderError} `INTERNAL` where the layout is not one of the schema.
   * @internal
   */
  static fromNative(schema: Schema, native: NativeBatch): Batch {
    const { layoutStarts } = SchemaPlan.of(schema);
    if (layoutStarts.at(-1) !== native.layout.length) {
      throw new LanceLoaderError(
        "INTERNAL",
        `The layout of a batch has ${native.layout.length} numbers, its schema asks for ${layoutStarts.at(-1)}.`,
      );
    }
    const columns = schema.fields.map(
      ({ type }, place) => new Column(() => readLayout(type, native, layoutStarts[place] as number)),
    );
    return new Batch(schema, columns, 0, native.numRows, native.data.byteLength);
  }

  /**
   * The rows of a table or record batch that any supported apache-arrow made, other versions and copies than the
   * reader's own included.
   *
   * Memory is shared, except that several record batches are joined by a copy. Large and view types become their plain twins: LargeUtf8
   * and Utf8View become Utf8, LargeBinary and BinaryView Binary, LargeList List.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where `table` is neither, `UNSUPPORTED_TYPE` for a union column,
   * `BATCH_TOO_LARGE` where a column passes 2^31 - 1 bytes or items.
   */
  static fromArrow(table: ArrowTable): Batch {
    const { schema, numRows, columns } = acceptTable(table);
    return Batch.#fromData(schema, columns, numRows);
  }

  /**
   * The rows of several batches of one schema, in order. One batch is answered as it is, more are copied.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where there is none or the schemas differ, `BATCH_TOO_LARGE` where a column
   * passes 2^31 - 1 bytes or items.
   */
  static concat(batches: readonly Batch[]): Batch {
    const [first, ...others] = batches;
    if (first === undefined) {
      throw new LanceLoaderError(
        "INVALID_ARGUMENT",
        "batches is empty, and no batches have no schema: pass one or more.",
      );
    }
    if (others.length === 0) return first;
    for (const { schema } of others) {
      if (String(schema) === String(first.schema)) continue;
      throw new LanceLoaderError(
        "INVALID_ARGUMENT",
        `batches have different schemas, ${first.schema} and ${schema}: only batches of one schema can be joined.`,
      );
    }
    const columns = first.schema.fields.map(({ type }, place) =>
      concatData(
        type,
        batches.map((batch) => batch.#range(place)),
      ),
    );
    const numRows = batches.reduce((sum, batch) => sum + batch.numRows, 0);
    return Batch.#fromData(first.schema, columns, numRows);
  }

  static #fromData(schema: Schema, columns: readonly Data[], numRows: number): Batch {
    const loaded = columns.map((data) => new Column(() => data));
    return new Batch(withTypes(schema, columns), loaded, 0, numRows, heldBytes(columns));
  }

  /** The columns' names, in order. */
  get columnNames(): readonly string[] {
    return this.#plan.names;
  }

  /**
   * The values of a column as a typed array, without a copy.
   *
   * Dates, times and timestamps come raw, in the column's unit; float16 as the bits of each half in a `Uint16Array`; a fixed-size
   * list or fixed-size binary as the values of all rows one after the other ({@link Batch.tensor} tells the shape).
   *
   * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`; `INVALID_ARGUMENT` where the column holds nulls; `UNSUPPORTED_TYPE` for booleans
   * (bits: use {@link Batch.tensor}), strings and other types that are no fixed number of numbers.
   */
  column(name: string): NumericArray {
    const { dtype, data } = this.tensor(name);
    if (dtype !== "bool") return data;
    throw new LanceLoaderError(
      "UNSUPPORTED_TYPE",
      `The column ${JSON.stringify(name)} holds booleans, which are stored as bits: use tensor(), which unpacks them into bytes, or rows().`,
    );
  }

  /**
   * A column as a dense array with a shape: `[n]` for numbers, `[n, size]` for fixed-size lists of them, and one more size for
   * each level of lists.
   *
   * `dtype` names the element type as stored, so that a date is `int32` or `int64` and a timestamp `int64`. Nothing is copied, but
   * `bool` is unpacked into bytes of 0 and 1.
   *
   * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`; `INVALID_ARGUMENT` where the column holds nulls; `UNSUPPORTED_TYPE` where its rows
   * have no fixed number of numbers.
   */
  tensor(name: string): Tensor {
    const place = this.#plan.place(name);
    let tensor = this.#tensors.get(name);
    if (tensor === undefined) {
      tensor = readTensor(name, this.#column(place).data, this.#start, this.numRows);
      this.#tensors.set(name, tensor);
    }
    return tensor;
  }

  /**
   * A column as an apache-arrow vector, of any type, without a copy.
   *
   * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`.
   */
  vector(name: string): Vector {
    const place = this.#plan.place(name);
    let vector = this.#vectors.get(name);
    if (vector === undefined) {
      vector = new Vector([this.#range(place)]);
      this.#vectors.set(name, vector);
    }
    return vector;
  }

  /** All rows as plain objects; {@link RowValue} lists what each type becomes. Takes time for each value, once. */
  rows(): Row[] {
    this.#rows ??= this.#readRows();
    return this.#rows;
  }

  /**
   * One row as a plain object: that of {@link Batch.rows} where they were made, else one of its own, in time for its own
   * values only.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where `index` is not an integer from 0 to below `numRows`.
   */
  row(index: number): Row {
    if (!Number.isInteger(index) || index < 0 || index >= this.numRows) {
      throw new LanceLoaderError(
        "INVALID_ARGUMENT",
        `index is ${index}, and must be an integer from 0 to below numRows, which is ${this.numRows}.`,
      );
    }
    const kept = this.#rows?.[index];
    if (kept !== undefined) return kept;
    const row = this.#plan.newRow();
    for (const [place, name] of this.columnNames.entries())
      row[name] = this.#column(place).read(this.#start + index);
    return row;
  }

  /**
   * The rows from `start` to before `end`, as a view. O(1).
   *
   * Both count and are limited as `Array.prototype.slice` has them: negative ones from the end.
   */
  slice(start = 0, end = this.numRows): Batch {
    const first = fromEnd(start, this.numRows);
    const length = Math.max(0, fromEnd(end, this.numRows) - first);
    return new Batch(this.schema, this.#columns, this.#start + first, length, this.numBytes);
  }

  /**
   * The rows at `indices`, in that order and with repeats, as a copy. Takes time for each row and column; neighbours are copied at once.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where an index is not an integer from 0 to below `numRows`; `BATCH_TOO_LARGE` where a column passes 2^31 - 1
   * bytes or items.
   */
  take(indices: ArrayLike<number>): Batch {
    const runs = runsOf(indices, this.numRows);
    const columns = this.schema.fields.map(({ type }, place) => {
      const data = this.#range(place);
      return concatData(
        type,
        runs.map(([start, length]) => data.slice(start, length)),
      );
    });
    return Batch.#fromData(this.schema, columns, indices.length);
  }

  /**
   * The columns `names`, in that order, as a view.
   *
   * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`; `INVALID_ARGUMENT` where a name stands twice.
   */
  select(names: readonly string[]): Batch {
    const places = names.map((name) => this.#plan.place(name));
    const fields = places.map((place) => this.schema.fields[place] as Field);
    const columns = places.map((place) => this.#column(place));
    const schema = new Schema(fields, this.schema.metadata);
    return new Batch(schema, columns, this.#start, this.numRows, this.numBytes);
  }

  /** The batch as an apache-arrow table of one record batch, without a copy. (A table of no columns has no rows.) */
  toArrow(): Table {
    this.#table ??= this.#makeTable();
    return this.#table;
  }

  #makeTable(): Table {
    const { schema, numRows } = this;
    const children = schema.fields.map((_, place) => this.#range(place));
    const data = makeData(new Struct(schema.fields), { length: numRows, children });
    return new Table(schema, [new RecordBatch(schema, data as Data<Struct>)]);
  }

  #readRows(): Row[] {
    const rows: Row[] = [];
    for (let index = 0; index < this.numRows; index++) rows.push(this.#plan.newRow());
    for (const [place, name] of this.columnNames.entries()) {
      const { read } = this.#column(place);
      let index = this.#start;
      for (const row of rows) row[name] = read(index++);
    }
    return rows;
  }

  #column(place: number): Column {
    return this.#columns[place] as Column;
  }

  #range(place: number): Data {
    return this.#column(place).range(this.#start, this.numRows);
  }
}

/** The schema with the types that the columns have come to: joined dictionaries have types of their own. */
function withTypes(schema: Schema, columns: readonly Data[]): Schema {
  const types = columns.map(({ type }) => type);
  if (schema.fields.every(({ type }, place) => type === types[place])) return schema;
  const fields = schema.fields.map((field, place) => field.clone({ type: types[place] as DataType }));
  return new Schema(fields, schema.metadata);
}

/** Indices as runs of neighbours: where each starts, and its length. */
function runsOf(indices: ArrayLike<number>, numRows: number): [start: number, length: number][] {
  const runs: [number, number][] = [];
  for (const index of Array.from(indices)) {
    if (!Number.isInteger(index) || index < 0 || index >= numRows)
      throw new LanceLoaderError(
        "INVALID_ARGUMENT",
        `indices have ${index}: they must be integers from 0 to below numRows, which is ${numRows}.`,
      );
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === index) last[1]++;
    else runs.push([index, 1]);
  }
  return runs;
}

function fromEnd(index: number, length: number): number {
  const whole = Math.trunc(index) || 0;
  return whole < 0 ? Math.max(0, length + whole) : Math.min(whole, length);
}
