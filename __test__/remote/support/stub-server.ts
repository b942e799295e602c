import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type QueryBody, StubTable } from "./stub-table.ts";

/** What a request is for. */
export type Purpose = "describe" | "branches" | "lsm" | "count" | "schema" | "scan" | "take" | "other";

/** A request that came. */
export interface StubRequest {
  readonly purpose: Purpose;
  /** How many of the same purpose came before it. */
  readonly earlier: number;
  readonly path: string;
  readonly body: Partial<QueryBody>;
}

/** What goes wrong with an answer: a status with a text, or the connection, before or in the middle of it; `silence` answers nothing. */
export type Fault =
  | { readonly status: number; readonly text: string }
  | "closed"
  | "cut"
  | "silence"
  | "garbage"
  | "short";

/** What a stub does, and may be changed at any time. */
export interface StubBehaviour {
  /** Called with each request before it is answered; the answer waits for it, and fails as it says. */
  before: (request: StubRequest) => Fault | undefined | Promise<Fault | undefined>;
  /** The order of the rows of an answer. */
  arrange: <Row>(rows: Row[]) => Row[];
  /** How rows are written, where some have no row id. */
  lsmWriteSpec: object | null;
}

/** The key that a stub wants. */
export const key = "sk_4f1d_never_to_be_told";

/**
 * A LanceDB REST service over one table on disk, with the routes that the public client asks of a table that is read.
 *
 * It refuses a wrong key, telling the key as careless servers do, and the row id in a list of columns.
 */
export class StubServer implements AsyncDisposable {
  /** Every request, in the order in which they came. */
  readonly requests: StubRequest[] = [];
  readonly behaviour: StubBehaviour = {
    before: () => undefined,
    arrange: (rows) => rows.toReversed(),
    lsmWriteSpec: null,
  };
  readonly #table: StubTable;
  readonly #server: Server;

  private constructor(table: StubTable) {
    this.#table = table;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.statusCode = 400;
        response.end(String(error));
      });
    });
  }

  /** Serves the table `name` of a database on disk. */
  static async start(folder: string, name: string): Promise<StubServer> {
    const stub = new StubServer(new StubTable(folder, name));
    await new Promise<void>((listening) => stub.#server.listen(0, "127.0.0.1", listening));
    return stub;
  }

  /** Where it listens. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many requests came for each purpose. */
  get counts(): Partial<Record<Purpose, number>> {
    const counts: Partial<Record<Purpose, number>> = {};
    for (const { purpose } of this.requests) counts[purpose] = (counts[purpose] ?? 0) + 1;
    return counts;
  }

  /** The versions that queries asked for. */
  get versions(): Set<number | null | undefined> {
    return new Set(
      this.requests.filter(({ path }) => path.includes("/query/")).map(({ body }) => body.version),
    );
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = (text === "" ? {} : JSON.parse(text)) as Partial<QueryBody>;
    const path = incoming.url ?? "";
    const purpose = purposeOf(path, body);
    const request = { purpose, earlier: this.counts[purpose] ?? 0, path, body };
    this.requests.push(request);
    const sent = incoming.headers["x-api-key"];
    if (sent !== key) return say(response, 401, `the key ${sent} is not ${key}`);
    const fault = await this.behaviour.before(request);
    if (fault === "silence") return;
    if (fault === "closed") return void incoming.socket.destroy();
    if (typeof fault === "object") return say(response, fault.status, fault.text);
    await this.#answer(request, response, fault);
  }

  async #answer(
    { purpose, path, body }: StubRequest,
    response: ServerResponse,
    fault: "cut" | "garbage" | "short" | undefined,
  ): Promise<void> {
    if (purpose === "other") return say(response, 404, `there is no ${path}`);
    if (purpose === "branches") return sayJson(response, { branches: await this.#table.branches() });
    if (purpose === "lsm") return sayJson(response, { lsm_write_spec: this.behaviour.lsmWriteSpec });
    if (purpose === "describe") {
      const description = await this.#table
        .describe(body.version ?? null, body.branch)
        .catch(() => undefined);
      if (description === undefined) return say(response, 404, `no version ${body.version}`);
      return sayJson(response, description);
    }
    if (Array.isArray(body.columns) && body.columns.includes("_rowid"))
      return say(response, 400, "_rowid is no column");
    const { arrange } = this.behaviour;
    const shorter = <Row>(rows: Row[]) => (fault === "short" ? arrange(rows).slice(1) : arrange(rows));
    const file = await this.#table.query(body as QueryBody, shorter);
    response.setHeader("content-type", "application/vnd.apache.arrow.file");
    if (fault === "garbage") return void response.end("no Arrow");
    if (fault !== "cut") return void response.end(file);
    response.setHeader("content-length", file.length);
    response.write(file.subarray(0, 16), () => response.socket?.destroy());
  }
}

function purposeOf(path: string, { columns, filter, k = 0 }: Partial<QueryBody>): Purpose {
  const route = /^\/v1\/table\/[^/]+\/(.*?)\/?$/.exec(path)?.[1];
  if (route === "describe") return "describe";
  if (route === "branches/list") return "branches";
  if (route === "get_lsm_write_spec") return "lsm";
  if (route === "count_rows") return "count";
  if (route !== "query") return "other";
  if (k === 1 && columns === undefined) return "schema";
  return filter?.startsWith("_rowid IN (") ? "take" : "scan";
}

function say(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.end(text);
}

function sayJson(response: ServerResponse, value: object): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}
