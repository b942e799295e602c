import { mismatch, type StateDict } from "../state.ts";
import type { ResolvedPacking } from "./options.ts";

/**
 * Refuses a state of another packing, or of none where this dataset packs.
 *
 * @param blocks - the blocks of an epoch; those of the state are adopted where they were estimated.
 * @throws {@link LanceLoaderError} `STATE_MISMATCH`.
 */
export function comparePacking(
  state: StateDict,
  packing: ResolvedPacking | undefined,
  blocks: number | undefined,
): void {
  // A state that lacks this key is not one of packed blocks.
  mismatch("pack_sequences", state.pack_sequences ?? "absent", packing?.length ?? "absent");
  if (packing === undefined) return;
  mismatch("eos_id", textOf(state.eos_id), `${packing.eosId}`);
  mismatch("pad_id", textOf(state.pad_id), `${packing.padId}`);
  mismatch("packing", JSON.stringify(state.packing ?? "concat"), JSON.stringify(modeOf(packing)));
  if (packing.blocksPerEpoch !== "auto") mismatch("blocks_per_epoch", state.blocks_per_epoch, blocks);
}

function textOf(token: number | string | undefined): string | undefined {
  return token === undefined ? undefined : String(token);
}

function modeOf({ packing, lookAhead, longDocuments }: ResolvedPacking): NonNullable<StateDict["packing"]> {
  return packing === "concat"
    ? packing
    : { best_fit: { look_ahead: lookAhead, long_documents: longDocuments } };
}
