import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request to the store. */
export interface StoreRequest {
  readonly method: string;
  /** Bucket and key, with a `/` before them. */
  readonly path: string;
  /** The bytes that were asked for, as `bytes=first-last`. */
  readonly range: string | undefined;
}

/**
 * What happens to a request: the answer comes late, is an error of the service, never begins because the connection is closed, or ends in the middle of the
 * body.
 */
export type Fault =
  | { readonly kind: "late"; readonly when: Promise<unknown> }
  | { readonly kind: "refused"; readonly status: number; readonly code: string }
  | { readonly kind: "dropped" }
  | { readonly kind: "cut" };

/** Stands between a client and an object store, counts the requests, and spoils those that a test wants spoilt. */
export class FaultyProxy {
  /** The requests that came since the last {@link forget}, the spoilt ones too. */
  requests: StoreRequest[] = [];
  /** What to do to a request; nothing by default. */
  fault: (request: StoreRequest) => Fault | undefined = () => undefined;
  readonly #server: Server;

  private constructor(target: number) {
    this.#server = createServer((incoming, answer) => {
      void this.#pass(incoming, answer, target);
    });
  }

  /** Stands before the store at the port `target` of this machine. */
  static async start(target: number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** The port to which clients connect. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Counts from zero, and spoils nothing from now on. */
  forget(): void {
    this.requests = [];
    this.fault = () => undefined;
  }

  /** The reads of data files. */
  get dataReads(): StoreRequest[] {
    return this.requests.filter(({ method, path }) => method === "GET" && path.includes("/data/"));
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #pass(incoming: IncomingMessage, answer: ServerResponse, target: number): Promise<void> {
    const { method = "GET", url = "/", headers } = incoming;
    const seen = { method, path: url.split("?", 1)[0] ?? url, range: headers.range };
    this.requests.push(seen);
    const fault = this.fault(seen);
    if (fault?.kind === "refused") return refuse(answer, fault);
    if (fault?.kind === "dropped") return void incoming.socket.destroy();
    if (fault?.kind === "late") await fault.when;
    // The signature is over the headers as they are, the host included.
    const forwarded = request({ host: "127.0.0.1", port: target, method, path: url, headers, agent: false });
    forwarded.on("error", () => incoming.socket.destroy());
    answer.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
    forwarded.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      if (fault?.kind === "cut") cut(response, answer);
      else response.pipe(answer);
    });
  }
}

function refuse(answer: ServerResponse, { status, code }: { status: number; code: string }): void {
  answer.writeHead(status, { "content-type": "application/xml" });
  answer.end(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} of the test</Message></Error>`,
  );
}

/** Hands half of the first piece of a body over, and closes the connection. */
function cut(response: IncomingMessage, answer: ServerResponse): void {
  response.once("data", (piece: Buffer) => {
    answer.write(piece.subarray(0, piece.length / 2), () => {
      response.destroy();
      answer.socket?.destroy();
    });
  });
}
