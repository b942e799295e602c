import type { NativeBinding } from "../../native.ts";
import { attempted, type RequestLimits } from "./attempts.ts";
import { type Asked, failureOf } from "./failure.ts";
import type { RemoteHandle, RemoteTake } from "./handle.ts";

type Request = InstanceType<NativeBinding["RemoteRequest"]>;

/**
 * Answers the addon's requests from a table that is pinned to one version.
 *
 * The files of an answer cross as the client has them, undecoded.
 */
export function serve(table: Served, limits: RequestLimits): (request: Request) => void {
  return (request) => void answer(table, limits, request);
}

/** A table that is pinned to one version. */
export interface Served {
  readonly pinned: RemoteHandle;
  readonly name: string;
  readonly version: number;
  readonly branch: string | undefined;
}

/** Never rejects: nobody would hear it. */
async function answer(table: Served, limits: RequestLimits, request: Request): Promise<void> {
  const asked = askedBy(request, table);
  try {
    const files = await attempted(
      () => queryOf(table.pinned, request).nativeExecute({ timeoutMs: limits.timeout }),
      asked,
      limits,
      { mayRepeat: () => request.isWanted },
    );
    // The client has the whole answer by now: what fails from here on would fail again.
    for (let file = await files.next(); file && request.isWanted; file = await files.next())
      request.answer(file);
    request.end();
  } catch (error) {
    const { code, message, cause } = failureOf(error, asked, 1);
    request.fail(code, message, cause instanceof Error ? cause.message : undefined);
  }
}

function queryOf(table: RemoteHandle, request: Request): RemoteTake {
  const { rowIds, filter } = request;
  // The row id is asked for apart: servers refuse it in a list of columns.
  if (rowIds)
    return table
      .takeRowIds(Array.from(rowIds))
      .select(request.columns ?? [])
      .withRowId();
  const query = table.query().withRowId();
  const { columns, expression } = request;
  if (columns) query.select(columns);
  if (expression) query.select({ [expression[0]]: inBrackets(expression[1]) });
  return filter ? query.where(inBrackets(filter)) : query;
}

/** In brackets, since a clause behind it (`LIMIT 5`, another statement) would be read over in silence. */
function inBrackets(sql: string): string {
  return `(\n${sql}\n)`;
}

function askedBy({ rowIds, filter, expression }: Request, { name: table, version, branch }: Served): Asked {
  const at = { table, version, branch };
  if (rowIds) return { ...at, what: "A read" };
  const what = "The scan of row ids";
  const sql = [
    ...(expression ? [`calculation ${JSON.stringify(expression[1])}`] : []),
    ...(filter ? [`the filter ${JSON.stringify(filter)}`] : []),
  ];
  if (sql.length === 0) return { ...at, what };
  const message = (said: string) =>
    `${sql.join(" with ")} can't be used: ${said}. It must be an SQL expression over the table's columns.`;
  return { ...at, what, wrong: { code: expression ? "INVALID_ARGUMENT" : "INVALID_FILTER", message } };
}
