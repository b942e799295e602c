import type { Batch } from "../arrow/batch.ts";
import { LanceLoaderError } from "../errors.ts";
import type { BatchContext } from "./attached-read.ts";

/** The default export of a transform module. */
export type Transform = (batch: Batch, context: BatchContext) => unknown;

/**
 * Imports a transform module.
 *
 * @param load - imports a URL or a package specifier.
 * @throws {@link LanceLoaderError} `WORKER_FAILED` with the cause where the import fails; `INVALID_ARGUMENT` where the default export is no function.
 */
export async function loadTransform(
  module: string,
  load: (module: string) => Promise<unknown>,
): Promise<Transform> {
  const exported = defaultOf(await importOf(module, load));
  if (typeof exported === "function") return exported as Transform;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `transform is the module ${module}, whose default export is ${exported === undefined ? "missing" : `of type ${typeof exported}`}: ` +
      "it must be a function of a batch, as in `export default (batch) => batch.rows()`.",
  );
}

async function importOf(module: string, load: (module: string) => Promise<unknown>): Promise<unknown> {
  try {
    return await load(module);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new LanceLoaderError(
      "WORKER_FAILED",
      `The transform module ${module} could not be imported in a worker thread: ${message}`,
      { cause },
    );
  }
}

function defaultOf(namespace: unknown): unknown {
  const { default: exported } = namespace as { default?: unknown };
  if (typeof exported !== "object" || exported === null) return exported;
  // A CommonJS module that was compiled from an ES module has its default export inside.
  return "default" in exported ? exported.default : exported;
}
