import { Field, FixedSizeList, Float32, Int32, makeData, Table, Vector, vectorFromArray } from "apache-arrow";
import { range, tablePath, type WriteOptions, writeTable } from "../../support/tables.ts";
import { numberAt, width } from "./values.ts";

/**
 * Writes a table of rows of 4 KiB: the `id`, and `values`, a list of {@link width} numbers that follow from it.
 *
 * @returns its path.
 */
export async function writeWide(
  folder: string,
  name: string,
  rows: number,
  fragments = 1,
  options: WriteOptions = {},
): Promise<string> {
  const size = rows / fragments;
  const parts = range(0, fragments).map((part) => wideRows(part * size, (part + 1) * size));
  await writeTable(folder, name, parts, options);
  return tablePath(folder, name);
}

function wideRows(start: number, end: number): Table {
  const ids = range(start, end);
  const numbers = new Float32Array(ids.length * width);
  for (const [row, id] of ids.entries())
    for (let place = 0; place < width; place++) numbers[row * width + place] = numberAt(id, place);
  const child = makeData({ type: new Float32(), length: numbers.length, data: numbers });
  const type = new FixedSizeList(width, new Field("item", new Float32(), true));
  const values = new Vector([makeData({ type, length: ids.length, child })]);
  return new Table({ id: vectorFromArray(ids, new Int32()), values });
}
