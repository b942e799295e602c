import { readyBytes } from "../tables/batch-reader.ts";
import type { ResolvedOptions } from "./options.ts";
import { scratchOf } from "./scratch.ts";

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
