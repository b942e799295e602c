import type { ResolvedOptions } from "./options.ts";
import { scratchOf } from "./scratch.ts";

/** Bytes of gathered batches that may wait in the addon. */
const readyBytes = 4 * 2 ** 20;

/**
 * How the addon reads a plan.
 *
 * @param skip - samples of the plan to leave out at its beginning.
 */
export function readOptions(options: ResolvedOptions, skip: number, batchRows: number) {
  const { readBatchSize, ioQueueDepth, fetch, lendBuffers } = options;
  return {
    skip,
    batchRows,
    ioQueueDepth,
    readyBytes,
    fetch,
    lendBuffers,
    ...scratchOf(options),
    ...(readBatchSize !== undefined && { readBatchSize }),
  };
}
