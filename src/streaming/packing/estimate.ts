import { aborted, fromNative, native } from "../../tables/native-errors.ts";
import type { NativePlan, NativeTable } from "../opened.ts";
import { nativeOptions } from "./native-options.ts";
import type { ResolvedPacking } from "./options.ts";

/** What an estimate is made of. */
export interface EstimateRequest {
  readonly table: NativeTable;
  /** The plan of epoch 0. */
  readonly plan: NativePlan;
  readonly options: ResolvedPacking;
  readonly seed: bigint;
  readonly signal: AbortSignal | undefined;
}

let warned = false;

/**
 * The blocks of an epoch, estimated from a sample of the documents. Says once in a process that it is an estimate.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`, `UNSUPPORTED_TYPE`, `READ_FAILED`, `ABORTED`.
 */
export async function estimateBlocks({
  table,
  plan,
  options,
  seed,
  signal,
}: EstimateRequest): Promise<number> {
  if (signal?.aborted) throw aborted(signal);
  const estimating = native(() => table.estimateBlocks(plan, nativeOptions(options, 1), seed));
  const cancel = () => estimating.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    await estimating.wait();
    const blocks = estimating.finish();
    warn(blocks);
    return blocks;
  } catch (error) {
    throw signal?.aborted ? aborted(signal) : fromNative(error);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

function warn(blocks: number): void {
  if (warned) return;
  warned = true;
  process.emitWarning(
    `blocksPerEpoch "auto" came to ${blocks}, an estimate from a sample: some tokens may be left over, or some blocks be padding. Give a number for an exact budget.`,
    { type: "LanceLoaderWarning", code: "LANCE_LOADER_BLOCKS_PER_EPOCH" },
  );
}
