import type { Table } from "apache-arrow";
import type { Batch } from "../arrow/batch.ts";
import type { Row, RowValue } from "../arrow/row-value.ts";

/** The values of each column. */
export type Columns = Record<string, RowValue[]>;

/** What a `Permutation` hands over for each batch, by the name of its format. */
export interface Formats {
  /** An apache-arrow table. */
  readonly arrow: Table;
  /** A list of plain objects. */
  readonly rows: Row[];
  /** A list of values for each column. */
  readonly columns: Columns;
}

/** The name of a format. */
export type Format = keyof Formats;

/** What each format makes of a batch. */
export const formats: { readonly [Name in Format]: (batch: Batch) => Formats[Name] } = {
  arrow: (batch) => batch.toArrow(),
  rows: (batch) => batch.rows(),
  columns: (batch) => {
    const rows = batch.rows();
    return Object.fromEntries(
      batch.columnNames.map((name) => [name, rows.map((row) => row[name] as RowValue)]),
    );
  },
};
