import { type ErrorCode, LanceLoaderError } from "../../errors.ts";

/** What was asked for when a request failed. */
export interface Asked {
  /** The table's name. */
  readonly table: string;
  /** What the request was for, as the start of a sentence. */
  readonly what: string;
  /** The version that was asked for, and the branch that is not main. */
  readonly version?: number | undefined;
  readonly branch?: string | undefined;
  /** What a request that the server calls wrong means. */
  readonly wrong?: {
    readonly code: ErrorCode;
    /** The message, from what the server said. */
    message(said: string): string;
  };
}

/** An attempt that took longer than it may. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(milliseconds: number) {
    super(`no answer came within ${milliseconds} ms`);
  }
}

// The client has one kind of error, with a text. What it says itself stands at the beginning, before anything that the server said.
const begins = (text: string) => new RegExp(`^(?:Failed to [^:]*: GenericFailure, )?${text}`, "s");
const missing = begins("Table '.*?' was not found");
const exhausted = begins("Hit retry limit for request_id=");
const refused = begins("Http error: \\(request_id=\\S+\\) (\\d{3}) ([A-Za-z' -]+)(?::\\s?(.*))?");
const lost = begins(
  "(?:Query timeout after |Http error: \\(request_id=\\S+\\) (?:error sending request|error decoding response body|request or response body error))",
);
const statusLine = /\(request_id=(\S+)\) (\d{3} [A-Za-z' -]+)/;

/**
 * Whether an attempt may be repeated: nothing came, or not all of it. What the server refused is not, and what the client has repeated as often as it
 * was told to is not either.
 */
export function isRetryable(error: unknown): boolean {
  return error instanceof TimedOut || lost.test(textOf(error));
}

/**
 * The error of a failed request.
 *
 * A server may repeat the headers that it was sent, the key among them: of what it says only what it calls wrong with a request is passed on, with what looks
 * like a key taken out.
 *
 * @param attempts - how many there were.
 */
export function failureOf(error: unknown, asked: Asked, attempts: number): LanceLoaderError {
  if (error instanceof LanceLoaderError) return error;
  const text = textOf(error);
  const of = `${asked.what} of the remote table "${asked.table}"`;
  const summary = summaryOf(error);
  const fail = (code: ErrorCode, message: string) =>
    new LanceLoaderError(code, message, { cause: new Error(summary) });
  if (missing.test(text)) return fail(...notFound(asked));
  const [, status, reason, said = ""] = refused.exec(text) ?? [];
  if (status === "401" || status === "403") {
    const wayOut = "Check the key and the rights with which the database was connected.";
    return fail("READ_FAILED", `${of} was refused: ${status} ${reason}. ${wayOut}`);
  }
  if (status === "400" || status === "422") {
    const told = redacted(said.split(/\s+Caused by:/, 1)[0] ?? "");
    if (asked.wrong !== undefined) return fail(asked.wrong.code, asked.wrong.message(told));
    return fail("READ_FAILED", `${of} was refused: ${status} ${reason}: ${told}`);
  }
  return fail("READ_FAILED", `${of} failed${attempts > 1 ? `, ${attempts} times` : ""}: ${summary}.`);
}

function notFound({ table, version, branch }: Asked): [ErrorCode, string] {
  if (version === undefined && branch === undefined)
    return ["TABLE_NOT_FOUND", `The server has no table "${table}" (any more): open it again.`];
  const at = version === undefined ? "" : `version ${version} of `;
  const on = branch === undefined ? "" : `, branch "${branch}"`;
  return [
    "VERSION_NOT_FOUND",
    `The server does not have ${at}the table "${table}"${on} (any more): open what exists, and keep the versions you train on with a tag.`,
  ];
}

/** What went wrong, without what the server said of it. */
function summaryOf(error: unknown): string {
  const text = textOf(error);
  const [, request, status] = statusLine.exec(text) ?? [];
  const last = status === undefined ? deepestOf(text) : `${status.trim()} (request ${request})`;
  return exhausted.test(text) ? `the client's retries are used up, the last failure was: ${last}` : last;
}

/** The deepest cause of a failure that is not the server's. */
function deepestOf(text: string): string {
  if (missing.test(text)) return "not found";
  return redacted(text.split(/\s+Caused by:\s*/).at(-1) ?? text).slice(0, 200);
}

function redacted(text: string): string {
  const named =
    /(x-api-key|api[-_ ]?key|authorization|bearer|token)(["']?\s*[:= ]\s*["']?)(?:bearer\s+)?[^\s"',}]+/gi;
  return text.replace(/\bsk_[\w-]+/g, "[hidden]").replace(named, "$1$2[hidden]");
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
