// `@lancedb/lancedb` itself: shuffled row ids, taken in windows with one read ahead. It answers in the order of row ids, so that
// the rows of each window are put into theirs by a copy.
import { basename, dirname } from "node:path";
import { connect, type Table } from "@lancedb/lancedb";
import type { Table as ArrowTable, Vector } from "apache-arrow";
import { gather, gatherIds, type Places } from "./gather.ts";
import type { Job } from "./job.ts";
import { type CountedBatch, measure } from "./measure.ts";
import { shuffle } from "./shuffle.ts";

const windowRows = 4096;

await measure(epoch);

async function* epoch(job: Job): AsyncGenerator<CountedBatch> {
  const database = await connect(dirname(job.table));
  const table = await database.openTable(basename(job.table, ".lance"));
  const rowIds = shuffle(await readRowIds(table), 1);
  let next = takeWindow(table, rowIds, 0);
  for (let start = 0; start < rowIds.length; start += windowRows) {
    const window = await next;
    next = takeWindow(table, rowIds, start + windowRows);
    for (let at = 0; at < window.order.length; at += job.batchSize)
      yield batchOf(window, at, job.batchSize, job.decoded);
  }
}

async function readRowIds(table: Table): Promise<BigUint64Array> {
  const found = await table.query().withRowId().select(["_rowid"]).toArrow();
  return found.getChild("_rowid")?.toArray() as BigUint64Array;
}

interface Window {
  readonly rows: ArrowTable;
  /** The place of each row of the window in `rows`. */
  readonly order: Int32Array;
}

async function takeWindow(table: Table, rowIds: BigUint64Array, start: number): Promise<Window> {
  const asked = rowIds.subarray(start, start + windowRows);
  const sorted = asked.toSorted();
  const ranks = new Map(Array.from(sorted, (rowId, rank) => [rowId, rank]));
  const order = Int32Array.from(
    { length: asked.length },
    (_, at) => ranks.get(asked[at] as bigint) as number,
  );
  return { rows: await table.takeRowIds([...sorted]).toArrow(), order };
}

function batchOf({ rows, order }: Window, start: number, size: number, decoded: boolean): CountedBatch {
  const places = placesOf(rows, order.subarray(start, start + size));
  const columns = rows.schema.fields
    .filter(({ name }) => name !== "id")
    .map(({ name }) => gather(rows.getChild(name) as Vector, places, decoded));
  return { ids: gatherIds(rows.getChild("id") as Vector, places), columns };
}

function placesOf(rows: ArrowTable, order: Int32Array): Places {
  const chunk = new Int32Array(order.length);
  const row = order.slice();
  for (let k = 0; k < row.length; k++) {
    for (const { numRows } of rows.batches) {
      if ((row[k] as number) < numRows) break;
      row[k] = (row[k] as number) - numRows;
      chunk[k] = (chunk[k] as number) + 1;
    }
  }
  return { chunk, row };
}
