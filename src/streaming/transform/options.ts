import { availableParallelism } from "node:os";
import { checkFunction, checkInteger, invalid } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";
import { checkTransformModule } from "../../workers/transform-module.ts";
import { WorkerPool } from "../../workers/worker-pool.ts";
import type { SyncEpochEnd } from "./epoch-end.ts";
import type { OnTransformError } from "./error-policy.ts";
import { functionRunner } from "./function-runner.ts";
import { moduleRunner } from "./module-runner.ts";
import type { StartRunner } from "./runner.ts";
import type { Transform } from "./transform.ts";

/** Options of transforms, part of `StreamingDatasetOptions`. */
export interface TransformOptions {
  /**
   * Makes the samples: called with a batch of rows and a {@link TransformContext}, it gives one output for each row, as an array, as columns, or as Arrow
   * data. Of columns and Arrow data, batches are {@link Batch}es and samples their rows; of an array, batches are arrays and samples its items.
   *
   * It gets `readBatchSize` rows of each split, or else about as many as are asked for at once; the order does not depend on it. It runs ahead of the consumer
   * on the caller's thread. Excludes `packSequences`.
   *
   * As a module (a `URL`, as in `new URL("./transform.js", import.meta.url)`, or the name of a package) with a {@link Transform} as its default export it runs
   * in worker threads, which read batches for themselves. Outputs are copied in those threads, by a structured clone: plain data, typed arrays and Arrow data.
   * A thread that ends, or a module that can't be imported, is the error `WORKER_FAILED` of the batch that needed it, whatever `onTransformError` says.
   */
  readonly transform?: Transform | URL | string;
  /**
   * Calls of `transform` that may be under way at once; of a module, its threads, which are started by the first loop and kept until the dataset is closed.
   *
   * @default the cores that the process may use
   */
  readonly transformParallelism?: number;
  /** Batches that may be in the transform or wait behind it, beside what is handed over. @default twice `transformParallelism` */
  readonly transformQueueDepth?: number;
  /**
   * What happens when `transform` fails. Its batch is given to it again row by row, so that only the rows that fail are left out, counted in
   * `stats.rowsSkipped`. A function is asked once for each of them.
   *
   * Where rows are left out, the epoch ends with the last cycle in which every split of this rank has a sample; ranks end together with `syncEpochEnd` only.
   * `"raise"` hands over the rows before the failing batch, then fails with `TRANSFORM_FAILED`.
   *
   * @default "raise"
   */
  readonly onTransformError?: OnTransformError;
  /**
   * A collective minimum over all ranks, by which they agree on where the epoch ends. It is called in every iteration at the same steps on all
   * ranks, every 256 samples or so.
   */
  readonly syncEpochEnd?: SyncEpochEnd;
}

/** The options of transforms with their defaults. */
export interface ResolvedTransform {
  readonly startRunner: StartRunner;
  /** The threads of a module. */
  readonly pool: WorkerPool | undefined;
  readonly parallelism: number;
  /** `undefined` where the caller left it to the threads of a loop. */
  readonly queueDepth: number | undefined;
  readonly policy: OnTransformError;
  readonly syncEpochEnd: SyncEpochEnd | undefined;
}

/** The names of the options. */
export const transformOptions: readonly (keyof TransformOptions)[] = [
  "transform",
  "transformParallelism",
  "transformQueueDepth",
  "onTransformError",
  "syncEpochEnd",
];

/**
 * Checks the options and fills in defaults; `undefined` where rows are handed over as they are read.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
 */
export function resolveTransform(
  options: TransformOptions & { readonly packSequences?: number },
): ResolvedTransform | undefined {
  const { transform, syncEpochEnd } = options;
  if (transform === undefined) refuseWithoutTransform(options);
  if (transform === undefined && syncEpochEnd === undefined) return;
  refusePacking(options);
  const parallelism = checkInteger(
    "transformParallelism",
    options.transformParallelism ?? availableParallelism(),
    1,
    1024,
  );
  const { transformQueueDepth, onTransformError = "raise" } = options;
  return {
    ...runnerOf(transform, parallelism),
    parallelism,
    queueDepth:
      transformQueueDepth === undefined
        ? undefined
        : checkInteger("transformQueueDepth", transformQueueDepth, 1, 2 ** 20),
    policy: checkPolicy(onTransformError),
    syncEpochEnd: syncEpochEnd && checkFunction("syncEpochEnd", syncEpochEnd),
  };
}

/** Ranks that have nothing to transform can end at different steps, too: with `remainder: "keep"`. */
const asRead: Transform = (batch) => batch;

function runnerOf(
  transform: TransformOptions["transform"],
  parallelism: number,
): Pick<ResolvedTransform, "startRunner" | "pool"> {
  if (transform === undefined) return { startRunner: functionRunner(asRead, parallelism), pool: undefined };
  if (typeof transform === "function")
    return { startRunner: functionRunner(transform, parallelism), pool: undefined };
  const pool = new WorkerPool(checkTransformModule("transform", transform));
  return { startRunner: moduleRunner(pool), pool };
}

function refuseWithoutTransform(options: TransformOptions): void {
  const names = ["transformParallelism", "transformQueueDepth", "onTransformError"] as const;
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `${given} is given without transform: give a transform, or leave ${given} out.`,
  );
}

function refusePacking(options: TransformOptions & { readonly packSequences?: number }): void {
  if (options.packSequences === undefined) return;
  const [given, why] =
    options.transform === undefined
      ? ["syncEpochEnd", "all ranks have the same number of packed blocks"]
      : ["transform", "documents are packed as they are read"];
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `${given} and packSequences are both given, but ${why}: leave one of them out.`,
  );
}

function checkPolicy(policy: unknown): OnTransformError {
  if (policy === "raise" || policy === "skip" || policy === "warn") return policy;
  if (typeof policy === "function") return policy as Exclude<OnTransformError, string>;
  throw invalid("onTransformError", policy, '"raise", "skip", "warn" or a function');
}
