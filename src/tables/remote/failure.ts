import { type ErrorCode, LanceLoaderError } from "../../errors.ts";

/** What was asked for when a request failed. */
export interface Asked {
  /** The table, as the loader names it. */
  readonly table: string;
  /** What the request was for, as the start of a sentence. */
  readonly what: string;
  /** The code of a request that the server calls wrong, and what was wrong then. */
  readonly wrong?: { readonly code: ErrorCode; readonly message: string };
  /** The version that was asked for, where the request looked for one. */
  readonly version?: number;
}

/** An attempt that took longer than it may. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(milliseconds: number) {
    super(`no answer came within ${milliseconds} ms`);
  }
}

/** What the client tells of a failed request before it repeats what the server said. */
const clientStart = /^(?:Failed to [^:]*: GenericFailure, )?/.source;
const statusPattern = /Http error: \(request_id=(\S+)\) (\d{3}) ([A-Za-z' -]+)(?::\s?(.*))?/s;
const missing = new RegExp(`${clientStart}Table '.*?' was not found`, "s");
const exhausted = new RegExp(`${clientStart}Hit retry limit for request_id=`);
const status = new RegExp(`${clientStart}${statusPattern.source}`, "s");
const timeout = new RegExp(`${clientStart}Query timeout after `);
const transport = new RegExp(
  `${clientStart}Http error: \\(request_id=\\S+\\) (error sending request|error decoding response body|request or response body error|error reading)`,
);

/**
 * Whether an attempt may be repeated: nothing came, or not all of it. What the server refused is not, and what the client has repeated as often as it
 * was told to is not either.
 */
export function isRetryable(error: unknown): boolean {
  const text = textOf(error);
  return error instanceof TimedOut || timeout.test(text) || transport.test(text);
}

/**
 * The error of a failed request.
 *
 * A server may repeat the headers that it was sent, the key among them: of what it says only what it calls wrong with a request is passed on, with what looks
 * like a key taken out.
 */
export function failureOf(error: unknown, asked: Asked, attempts: number): LanceLoaderError {
  if (error instanceof LanceLoaderError) return error;
  const text = textOf(error);
  const { table, what, wrong, version } = asked;
  const fail = (code: ErrorCode, message: string) =>
    new LanceLoaderError(code, message, { cause: new Error(summaryOf(error)) });
  const [, , digits, reason, said = ""] = status.exec(text) ?? [];
  if (missing.test(text)) {
    if (version === undefined)
      return fail("TABLE_NOT_FOUND", `The server has no table "${table}" (any more): open it again.`);
    return fail(
      "VERSION_NOT_FOUND",
      `The server has no version ${version} of the table "${table}" (any more), or no such branch: open a version that exists, and keep the ones you train on with a tag.`,
    );
  }
  if (digits === "401" || digits === "403")
    return fail(
      "READ_FAILED",
      `${what} of the remote table "${table}" was refused: ${digits} ${reason}. Check the key and the rights with which the database was connected.`,
    );
  if (digits === "400" || digits === "422") {
    const said1 = redacted(said.split(/\s+Caused by:/, 1)[0] ?? "");
    if (wrong !== undefined)
      return fail(
        wrong.code,
        wrong.message.replace("%s", () => said1),
      );
    return fail(
      "READ_FAILED",
      `${what} of the remote table "${table}" was refused: ${digits} ${reason}: ${said1}`,
    );
  }
  const tried = attempts > 1 ? `, ${attempts} times` : "";
  return fail("READ_FAILED", `${what} of the remote table "${table}" failed${tried}: ${summaryOf(error)}.`);
}

/** What went wrong in words of the client's own, without the server's. */
function summaryOf(error: unknown): string {
  if (error instanceof TimedOut) return error.message;
  const text = textOf(error);
  const found = statusPattern.exec(text);
  const last = found === null ? transportOf(text) : `${found[2]} ${found[3]?.trim()} (request ${found[1]})`;
  return exhausted.test(text) ? `the client's retries are used up, the last answer was: ${last}` : last;
}

/** The deepest cause of a connection that failed. */
function transportOf(text: string): string {
  if (timeout.test(text) || transport.test(text) || exhausted.test(text))
    return redacted(text.split(/\s+Caused by:\s*/).at(-1) ?? text).slice(0, 200);
  return missing.test(text) ? "not found" : redacted(text).slice(0, 200);
}

function redacted(text: string): string {
  return text
    .replace(/\bsk_[\w-]+/g, "[hidden]")
    .replace(
      /(x-api-key|api[-_ ]?key|authorization|bearer|token)(["']?\s*[:= ]\s*["']?)[^\s"',}]+/gi,
      "$1$2[hidden]",
    );
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
