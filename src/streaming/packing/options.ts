import { checkBoolean, checkChoice, checkInteger, invalid } from "../../check.ts";
import { LanceLoaderError } from "../../errors.ts";

/** Options of packing, part of `StreamingDatasetOptions`. All of them need `packSequences`. */
export interface PackingOptions {
  /**
   * Tokens of a block. Documents, the rows of the one column that is read, are joined and cut into blocks of this length; a sample is then a
   * block, `{ inputIds, docIds }`, and a batch of them holds tensors of `[batch, packSequences]`.
   *
   * The column is a list, large list or fixed-size list of any integer type, without nulls.
   */
  readonly packSequences?: number;
  /** The token that follows each document. A number, or a `bigint` where ids are `int64`. Required. */
  readonly eosId?: number | bigint;
  /** The token that fills what no document fills; it may equal `eosId`. Required. */
  readonly padId?: number | bigint;
  /**
   * Blocks of an epoch over all ranks: a multiple of `numSplits`. Each split gives as many; one that runs out of documents gives padding, and
   * what is left of one that does not is left over. Required.
   *
   * `"auto"` estimates it when the dataset is opened from about 1 % of the rows, 100,000 at most: the same on every rank and in every epoch.
   * The process says once that it is an estimate. A state that is loaded brings its own number.
   */
  readonly blocksPerEpoch?: number | "auto";
  /**
   * How documents are laid into blocks: `"concat"` cuts them wherever a block ends; `"bestFit"` keeps them whole, placed first-fit-decreasing
   * within a window of `lookAhead` blocks.
   *
   * @default "concat"
   */
  readonly packing?: "concat" | "bestFit";
  /** Blocks of the window that `"bestFit"` places at once: more waste less and take more memory. @default 64 */
  readonly lookAhead?: number;
  /** What `"bestFit"` does with a document that, with its `eosId`, is longer than a block: fail, cut it, or leave it out. @default "error" */
  readonly longDocuments?: "error" | "split" | "drop";
  /** The type of `inputIds`: an `Int32Array` or a `BigInt64Array`. A token that does not fit is an error. @default "int32" */
  readonly tokenDtype?: "int32" | "int64";
  /** Whether blocks have `positionIds`, int32, from 0 at the start of each document, of the block and of the padding. @default false */
  readonly positionIds?: boolean;
  /** Whether blocks have a `lossMask`, uint8: 0 on padding, 1 elsewhere. @default false */
  readonly lossMask?: boolean;
  /**
   * Whether blocks have `attentionLengths`, lists of int32: cumulative sequence lengths (`cu_seqlens`), as attention kernels for variable lengths take
   * them. First 0, then where each document's part and the padding end, strictly ascending to `packSequences`.
   *
   * @default false
   */
  readonly attentionLengths?: boolean;
}

/** The options of packing with their defaults. */
export interface ResolvedPacking {
  readonly length: number;
  readonly eosId: bigint;
  readonly padId: bigint;
  readonly blocksPerEpoch: number | "auto";
  readonly packing: "concat" | "bestFit";
  readonly lookAhead: number;
  readonly longDocuments: "error" | "split" | "drop";
  readonly tokenDtype: "int32" | "int64";
  readonly positionIds: boolean;
  readonly lossMask: boolean;
  readonly attentionLengths: boolean;
}

/** The names of the options. */
export const packingOptions: readonly (keyof PackingOptions)[] = [
  "packSequences",
  "eosId",
  "padId",
  "blocksPerEpoch",
  "packing",
  "lookAhead",
  "longDocuments",
  "tokenDtype",
  "positionIds",
  "lossMask",
  "attentionLengths",
];

const maxLength = 2 ** 31 - 1;

/**
 * Checks the options and fills in defaults; `undefined` without packing.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`.
 */
export function resolvePacking(options: PackingOptions): ResolvedPacking | undefined {
  if (options.packSequences === undefined) return refuseWithoutPacking(options);
  const { packing = "concat", tokenDtype = "int32", blocksPerEpoch } = options;
  const { positionIds = false, lossMask = false, attentionLengths = false } = options;
  const dtype = checkChoice("tokenDtype", tokenDtype, ["int32", "int64"]);
  return {
    length: checkInteger("packSequences", options.packSequences, 1, maxLength),
    eosId: checkToken("eosId", options.eosId, dtype),
    padId: checkToken("padId", options.padId, dtype),
    blocksPerEpoch: blocksPerEpoch === "auto" ? "auto" : checkBlocks(blocksPerEpoch),
    ...checkPlacing(checkChoice("packing", packing, ["concat", "bestFit"]), options),
    tokenDtype: dtype,
    positionIds: checkBoolean("positionIds", positionIds),
    lossMask: checkBoolean("lossMask", lossMask),
    attentionLengths: checkBoolean("attentionLengths", attentionLengths),
  };
}

function refuseWithoutPacking(options: PackingOptions): undefined {
  const given = packingOptions.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    `${given} is given without packSequences: give the length of a block, or leave ${given} out.`,
  );
}

function checkPlacing(
  packing: "concat" | "bestFit",
  options: PackingOptions,
): Pick<ResolvedPacking, "packing" | "lookAhead" | "longDocuments"> {
  const { lookAhead = 64, longDocuments = "error" } = options;
  for (const name of ["lookAhead", "longDocuments"] as const) {
    if (packing === "concat" && options[name] !== undefined)
      throw new LanceLoaderError(
        "INVALID_ARGUMENT",
        `${name} is given, but packing is "concat", which cuts documents where a block ends: choose packing "bestFit", or leave ${name} out.`,
      );
  }
  return {
    packing,
    lookAhead: checkInteger("lookAhead", lookAhead, 1, 2 ** 32 - 1),
    longDocuments: checkChoice("longDocuments", longDocuments, ["error", "split", "drop"]),
  };
}

function checkBlocks(blocks: unknown): number {
  if (typeof blocks !== "number" || !Number.isSafeInteger(blocks) || blocks < 1)
    throw invalid("blocksPerEpoch", blocks, 'a whole number of at least 1, or "auto"');
  return blocks;
}

function checkToken(name: string, token: unknown, dtype: "int32" | "int64"): bigint {
  const bits = dtype === "int32" ? 32n : 64n;
  const limit = 1n << (bits - 1n);
  const whole = typeof token === "bigint" || (typeof token === "number" && Number.isSafeInteger(token));
  const value = whole ? BigInt(token) : undefined;
  if (value === undefined || value < -limit || value >= limit)
    throw invalid(name, token, `a whole number from ${-limit} to ${limit - 1n}, what ${dtype} holds`);
  return value;
}
