import { connect, type Table as LanceTable } from "@lancedb/lancedb";
import { type RecordBatch, Table, tableFromIPC, tableToIPC } from "apache-arrow";
import type { RemoteQuery } from "../../../src/tables/remote/handle.ts";

/** The body of a query, as the client writes it. */
export interface QueryBody {
  readonly version: number | null;
  readonly branch?: string;
  readonly columns?: string[] | Record<string, string>;
  readonly filter?: string;
  readonly k: number;
  readonly with_row_id?: boolean;
}

/** What a server says of a table. */
export interface Description {
  readonly table: string;
  readonly version: number;
  readonly schema: { readonly fields: object[] };
}

/** The table behind a stub: one on disk, at every version that it has. */
export class StubTable {
  readonly #folder: string;
  readonly #name: string;
  readonly #versions = new Map<string, Promise<LanceTable>>();

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /** The table at a version, or as it is now; rejects where there is no such version. */
  async describe(version: number | null, branch?: string): Promise<Description> {
    const table = await this.#at(version, branch);
    const schema = await table.schema();
    return { table: this.#name, version: await table.version(), schema: { fields: schema.fields.map(json) } };
  }

  /** The rows of a query in an order of `arrange`, as an Arrow IPC file. */
  async query(body: QueryBody, arrange: <Row>(rows: Row[]) => Row[]): Promise<Uint8Array> {
    // The files as the client has them: it decodes them with another copy of apache-arrow.
    const query = (await this.#at(body.version, body.branch)).query() as unknown as RemoteQuery;
    if (body.columns !== undefined) query.select(body.columns);
    if (body.filter !== undefined) query.where(body.filter);
    if (body.with_row_id) query.withRowId();
    if (body.k < Number.MAX_SAFE_INTEGER) query.limit(body.k);
    const { schema } = tableFromIPC(await (await query.getInner()).outputSchema());
    const rows: RecordBatch[] = [];
    const files = await query.nativeExecute({ timeoutMs: 60_000 });
    for (let file = await files.next(); file !== null; file = await files.next()) {
      for (const batch of tableFromIPC(file).batches)
        for (let row = 0; row < batch.numRows; row++) rows.push(batch.slice(row, row + 1));
    }
    return tableToIPC(new Table(schema, arrange(rows)), "file");
  }

  /** The branches by their names, without main. */
  async branches(): Promise<Record<string, object>> {
    const listed = await (await (await this.#open()).branches()).list();
    const entries = Object.entries(listed).map(([name, { parentVersion, manifestSize }]) => [
      name,
      { parentVersion, manifestSize, createAt: 1 },
    ]);
    return Object.fromEntries(entries);
  }

  #at(version: number | null, branch = "main"): Promise<LanceTable> {
    const place = `${branch} ${version}`;
    const known = version === null ? undefined : this.#versions.get(place);
    if (known !== undefined) return known;
    const opened = this.#open().then(async (table) =>
      (await table.branches()).checkout(branch, version ?? undefined),
    );
    if (version !== null) this.#versions.set(place, opened);
    return opened;
  }

  async #open(): Promise<LanceTable> {
    return await (await connect(this.#folder)).openTable(this.#name);
  }
}

/** What is used of a field of any apache-arrow. */
interface SomeField {
  readonly name: string;
  readonly nullable: boolean;
  readonly type: { readonly children?: readonly SomeField[] | null };
}

/** A field as a server's JSON has it. */
function json({ name, type, nullable }: SomeField): object {
  return { name, type: jsonType(type), nullable };
}

function jsonType(type: SomeField["type"]): object {
  if (type.children?.length) return { type: "list", fields: type.children.map(json) };
  const name = String(type).toLowerCase();
  return { type: name === "utf8" ? "string" : name };
}
