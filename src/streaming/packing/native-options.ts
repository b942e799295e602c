import type { NativeBinding } from "../../native.ts";
import type { ResolvedPacking } from "./options.ts";

type NativePackingOptions = Parameters<InstanceType<NativeBinding["Table"]>["packing"]>[1];

/** The options as the addon takes them. */
export function nativeOptions(options: ResolvedPacking, blocksPerEpoch: number): NativePackingOptions {
  const { length, eosId, padId, packing, lookAhead, longDocuments, tokenDtype, ...columns } = options;
  const { positionIds, lossMask, attentionLengths } = columns;
  return {
    packSequences: length,
    eosId,
    padId,
    blocksPerEpoch,
    ...(packing === "bestFit" && { lookAhead }),
    longDocuments,
    int64: tokenDtype === "int64",
    positionIds,
    lossMask,
    attentionLengths,
  };
}
