import { makeData, RecordBatch, type Schema, Struct, Table } from "apache-arrow";
import { Batch } from "../arrow/batch.ts";
import type { Row } from "../arrow/row-value.ts";
import { decodeSchema } from "../arrow/schema.ts";
import { checkBoolean, checkChoice, checkFunction, checkInteger, checkOptions, invalid } from "../check.ts";
import type { NativeBinding } from "../native.ts";
import { BatchReader, readyBytes } from "../tables/batch-reader.ts";
import { defaultMemoryBudget } from "../tables/memory-budget.ts";
import { native } from "../tables/native-errors.ts";
import type { TableSource } from "../tables/source.ts";
import { permutationBuilder } from "./builder.ts";
import { type DeliveredColumn, remove, rename, renamedSchema, select } from "./columns.ts";
import { type Format, type Formats, formats } from "./format.ts";
import { type PermutationSource, type PermutationTable, resolvePermutation } from "./permutation-table.ts";
import type { NativeRows } from "./work.ts";

/** Options of `Permutation.iter`. */
export interface IterOptions {
  /** Rows of a batch. @default 100 */
  readonly batchSize?: number;
  /** Whether a last batch with fewer rows is left out. @default false */
  readonly skipLastBatch?: boolean;
}

/** What a transform makes of each batch. */
export type PermutationTransform<Output> = (batch: Batch) => Output | Promise<Output>;

/** Rows that a plain loop reads at once. */
const loopRows = 256;

/** What a view is of. */
interface View<Output> {
  readonly table: PermutationTable;
  readonly split: number;
  readonly rows: NativeRows;
  readonly columns: readonly DeliveredColumn[];
  readonly reader: Reader;
  readonly convert: PermutationTransform<Output>;
}

/** The addon's table with the columns of a view, and their schema. */
interface Reader {
  readonly table: InstanceType<NativeBinding["Table"]>;
  readonly schema: Schema;
}

/**
 * The rows of one split of a permutation, in order, read from the version of the table that it was built on.
 *
 * Every view of it is another, unchanging object and reads nothing by itself. Skips, limits and repeats apply in the order in which they are
 * asked for.
 *
 * @example
 * ```ts
 * const train = await Permutation.fromTables("data/digits.lance", "data/digits_split.lance", "train");
 * for await (const { image, label } of train.selectColumns(["image", "label"]).withTake(100)) look(image, label);
 * ```
 */
export class Permutation<Output = Row[]>
  implements AsyncIterable<Output extends readonly (infer Item)[] ? Item : Output>
{
  readonly #view: View<Output>;

  private constructor(view: View<Output>) {
    this.#view = view;
  }

  /**
   * All rows of a table, in storage order.
   *
   * @throws {@link LanceLoaderError} `TABLE_NOT_FOUND`, `INVALID_ARGUMENT`, `UNSUPPORTED_SOURCE`, `READ_FAILED`.
   */
  static async identity(table: TableSource): Promise<Permutation> {
    return Permutation.of(await permutationBuilder(table).execute(), 0);
  }

  /**
   * One split of a permutation of a table.
   *
   * @param permutation - what a builder gave, or the path, URI or open table of a stored permutation, ours or Python LanceDB's.
   * @param split - the number or the name of the split.
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`; `VERSION_NOT_FOUND` where the version it was built on was cleaned up; `ROWS_MISSING`,
   * `TABLE_NOT_FOUND`, `UNSUPPORTED_SOURCE`, `READ_FAILED`.
   */
  static async fromTables(
    table: TableSource,
    permutation: PermutationSource,
    split: number | string = 0,
  ): Promise<Permutation> {
    const resolved = await resolvePermutation(table, permutation);
    return Permutation.of(resolved, resolved.split(split));
  }

  /** @internal */
  static of(table: PermutationTable, split: number): Permutation {
    const reader = open(table);
    const columns = reader.schema.fields.map(({ name }) => ({ column: name, name }));
    const rows = native(() => table.handle.rows(split));
    return new Permutation({ table, split, rows, columns, reader, convert: formats.rows });
  }

  /** The number of rows, repeats counted. */
  get numRows(): number {
    return this.#view.rows.numRows;
  }

  /** The columns' names and types. */
  get schema(): Schema {
    return this.#view.reader.schema;
  }

  /** The names of the columns, in order. */
  get columnNames(): readonly string[] {
    return this.#view.columns.map(({ name }) => name);
  }

  /** The permutation, the split, and the addon's handle of these rows. @internal */
  get source(): { table: PermutationTable; split: number; rows: NativeRows } {
    const { table, split, rows } = this.#view;
    return { table, split, rows };
  }

  /** These columns, in this order; `_rowid` is the row id. @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`, `INVALID_ARGUMENT`. */
  selectColumns(names: readonly string[]): Permutation<Output> {
    return this.#withColumns(select(this.#view.columns, names));
  }

  /** All columns but these. @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`, `INVALID_ARGUMENT`. */
  removeColumns(names: readonly string[]): Permutation<Output> {
    return this.#withColumns(remove(this.#view.columns, names));
  }

  /** Columns under new names, by the old ones. @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`, `INVALID_ARGUMENT`. */
  renameColumns(names: Readonly<Record<string, string>>): Permutation<Output> {
    return this.#withColumns(rename(this.#view.columns, names));
  }

  /** Without the first rows; empty where there are no more. @throws {@link LanceLoaderError} `INVALID_ARGUMENT`. */
  withSkip(rows: number): Permutation<Output> {
    const skip = checkInteger("rows", rows, 0);
    return this.#with({ rows: native(() => this.#view.rows.skip(skip)) });
  }

  /** The first rows; all where there are no more. @throws {@link LanceLoaderError} `INVALID_ARGUMENT`. */
  withTake(limit: number): Permutation<Output> {
    const take = checkInteger("limit", limit, 0);
    return this.#with({ rows: native(() => this.#view.rows.take(take)) });
  }

  /** All rows several times over. @throws {@link LanceLoaderError} `INVALID_ARGUMENT`. */
  withRepeat(times: number): Permutation<Output> {
    const repeat = checkInteger("times", times, 1);
    return this.#with({ rows: native(() => this.#view.rows.repeat(repeat)) });
  }

  /** What is handed over for each batch; `"rows"` at first. A transform is left out. @throws {@link LanceLoaderError} `INVALID_ARGUMENT`. */
  withFormat<Name extends Format>(format: Name): Permutation<Formats[Name]> {
    const checked = checkChoice("format", format, Object.keys(formats) as Name[]);
    return new Permutation<Formats[Name]>({ ...this.#view, convert: formats[checked] });
  }

  /** Hands over what a function makes of each batch, in place of a format. @throws {@link LanceLoaderError} `INVALID_ARGUMENT`. */
  withTransform<Made>(transform: PermutationTransform<Made>): Permutation<Made> {
    return new Permutation<Made>({ ...this.#view, convert: checkFunction("transform", transform) });
  }

  /**
   * The rows at some offsets, in the order asked for and with repeats, as one batch.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` for an offset that is not below `numRows`; `BATCH_TOO_LARGE`, `READ_FAILED`, `ROWS_MISSING`.
   */
  async takeOffsets(offsets: readonly number[]): Promise<Output> {
    if (!Array.isArray(offsets)) throw invalid("offsets", offsets, "a list of offsets");
    const last = this.numRows - 1;
    if (offsets.length > 0 && last < 0) throw invalid("offsets", offsets, "empty, since there are no rows");
    const checked = Array.from(offsets, (offset, at) => checkInteger(`offsets[${at}]`, offset, 0, last));
    if (checked.length === 0) return await this.#view.convert(emptyBatch(this.schema));
    const reader = this.#start(checked.length, checked);
    try {
      const batch = await reader.next();
      return await this.#view.convert(batch ?? emptyBatch(this.schema));
    } finally {
      reader.close();
    }
  }

  /**
   * The rows in batches.
   *
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`; its `next()` `READ_FAILED`, `ROWS_MISSING`, `BATCH_TOO_LARGE`.
   */
  iter(options: IterOptions = {}): AsyncGenerator<Output, void, undefined> {
    checkOptions("options", options, ["batchSize", "skipLastBatch"]);
    const { batchSize = 100, skipLastBatch = false } = options;
    checkInteger("batchSize", batchSize, 1, 2 ** 31);
    return this.#batches(batchSize, checkBoolean("skipLastBatch", skipLastBatch));
  }

  /** All rows: the items of what is handed over for each batch, where that is a list, else the batches' outputs. */
  async *[Symbol.asyncIterator](): AsyncGenerator<
    Output extends readonly (infer Item)[] ? Item : Output,
    void,
    undefined
  > {
    type Item = Output extends readonly (infer Each)[] ? Each : Output;
    for await (const output of this.#batches(loopRows, false)) {
      if (Array.isArray(output)) yield* output as Item[];
      else yield output as Item;
    }
  }

  async *#batches(batchSize: number, skipLastBatch: boolean): AsyncGenerator<Output, void, undefined> {
    const reader = this.#start(batchSize);
    try {
      for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
        if (skipLastBatch && batch.numRows < batchSize) return;
        yield await this.#view.convert(batch);
      }
    } finally {
      reader.close();
    }
  }

  #start(batchRows: number, offsets?: number[]): BatchReader {
    const { reader, rows } = this.#view;
    const options = {
      skip: 0,
      batchRows,
      ioQueueDepth: 4,
      readyBytes,
      fetch: "take",
      lendBuffers: true,
    };
    return new BatchReader(
      native(() => reader.table.startRows(rows, offsets, options)),
      reader.schema,
    );
  }

  #withColumns(columns: readonly DeliveredColumn[]): Permutation<Output> {
    return this.#with({ columns, reader: open(this.#view.table, columns) });
  }

  #with(changes: Partial<View<Output>>): Permutation<Output> {
    return new Permutation({ ...this.#view, ...changes });
  }
}

function open({ handle }: PermutationTable, columns?: readonly DeliveredColumn[]): Reader {
  const names = columns?.map(({ column }) => column);
  const table = native(() => handle.table(names, defaultMemoryBudget(), true));
  const schema = decodeSchema(table.schema);
  return { table, schema: columns === undefined ? schema : renamedSchema(schema, columns) };
}

function emptyBatch(schema: Schema): Batch {
  const data = makeData({
    type: new Struct(schema.fields),
    length: 0,
    children: schema.fields.map(({ type }) => makeData({ type })),
  });
  return Batch.fromArrow(new Table(schema, [new RecordBatch(schema, data)]));
}
