// What a worker thread runs: see worker-thread.ts.
import { parentPort, workerData } from "node:worker_threads";
import { LanceLoaderError } from "../errors.ts";
import { AttachedRead, type TakenBatch } from "./attached-read.ts";
import { loadTransform, type Transform } from "./load-transform.ts";
import type { Call, Notice, PackedOutcome, Reply } from "./messages.ts";
import { packError } from "./packed-error.ts";
import { packOutput } from "./packed-output.ts";

/** Imports a URL or a package specifier. */
export type Load = (module: string) => Promise<unknown>;

/** Answers the calls of the main thread, one after the other, until the thread is ended. `load` imports the transform. */
export function serve(load: Load): void {
  const server = new Server(workerData as string, load);
  parentPort?.on("message", (message: Notice | Call) => server.receive(message));
}

class Server {
  readonly #transform: Promise<Transform>;
  readonly #reads = new Map<number, AttachedRead>();
  #turn: Promise<void> = Promise.resolve();

  constructor(module: string, load: Load) {
    this.#transform = loadTransform(module, load);
    // What fails here is told to who needs the transform.
    this.#transform.catch(() => undefined);
  }

  receive(message: Notice | Call): void {
    const { read } = message;
    switch (message.kind) {
      case "begin":
        this.#reads.set(read, new AttachedRead(read, message.epoch));
        return;
      case "end":
        this.#reads.get(read)?.end();
        this.#reads.delete(read);
        return;
      case "release":
        this.#reads.get(read)?.release(message.sequence);
        return;
      default:
        this.#turn = this.#turn.then(() => this.#answer(message));
    }
  }

  async #answer(call: Call): Promise<void> {
    const moved: ArrayBuffer[] = [];
    post(await this.#replyTo(call, moved), moved);
  }

  async #replyTo(call: Call, moved: ArrayBuffer[]): Promise<Reply> {
    const { id } = call;
    try {
      const transform = await this.#transform;
      const read = this.#reads.get(call.read);
      if (read === undefined) return { id, kind: "end" };
      const taken = call.kind === "row" ? read.rowOf(call.sequence, call.row) : await read.take();
      if (taken === null) return { id, kind: "end" };
      const started = performance.now();
      const called = await calling(transform, taken);
      const seconds = (performance.now() - started) / 1000;
      if ("thrown" in called && call.kind === "batch") read.keep(taken);
      const { sequence, batch } = taken;
      return {
        id,
        kind: "called",
        sequence,
        numRows: batch.numRows,
        seconds,
        outcome: packed(called, moved),
      };
    } catch (error) {
      return { id, kind: "failed", error: packError(error) };
    }
  }
}

type Called = { readonly returned: unknown } | { readonly thrown: unknown };

async function calling(transform: Transform, { batch, context }: TakenBatch): Promise<Called> {
  try {
    return { returned: await transform(batch, context) };
  } catch (thrown) {
    return { thrown };
  }
}

function packed(called: Called, moved: ArrayBuffer[]): PackedOutcome {
  if ("thrown" in called) return { kind: "threw", error: packError(called.thrown) };
  try {
    return { kind: "returned", output: packOutput(called.returned, moved) };
  } catch (cause) {
    throw unsendable(cause);
  }
}

function post(reply: Reply, moved: readonly ArrayBuffer[]): void {
  try {
    parentPort?.postMessage(reply, moved);
  } catch (cause) {
    const error = packError(unsendable(cause));
    parentPort?.postMessage({ id: reply.id, kind: "failed", error } satisfies Reply);
  }
}

/** An output that can't cross is a mistake of the code and not of a row, which an error policy might skip. */
function unsendable(cause: unknown): LanceLoaderError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new LanceLoaderError(
    "TRANSFORM_FAILED",
    `What the transform gave can't be sent from its worker thread (${message}): give arrays or columns of plain data, or Arrow data, whatever onTransformError is.`,
    { cause },
  );
}
