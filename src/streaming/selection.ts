import { createHash } from "node:crypto";
import { LanceLoaderError } from "../errors.ts";
import type { NativeBinding } from "../native.ts";
import { PermutationBuilder } from "../permutation/builder.ts";
import type { NativePermutation } from "../permutation/work.ts";
import type { ResolvedSource } from "../tables/source.ts";
import type { Mixed } from "./mixture/mixed.ts";
import type { MixtureBase } from "./mixture/state.ts";
import type { ResolvedOptions } from "./options.ts";

type NativeTable = InstanceType<NativeBinding["Table"]>;
type PlanArguments = Parameters<NativeTable["plan"]>[0];

/** Which rows an epoch is over. */
export interface Selection {
  /** The rows of an epoch; `undefined` for all that the table has under its filter. */
  readonly numRows: number | undefined;
  /** The number of splits that it prescribes. */
  readonly numSplits: number | undefined;
  /** What a state tells of a permutation. */
  readonly permutation: string | null;
  /** What a state tells of a split strategy. */
  readonly splitStrategy: string | null;
  /** The permutation that names the rows, where there is one. */
  readonly base?: NativePermutation;
  /** The choice between datasets, where this is a mixture. */
  readonly mixture?: Mixed;
  /** The plan of an epoch; of a mixture, after its weights were changed at `base`. */
  plan(table: NativeTable, options: PlanArguments, base?: MixtureBase): ReturnType<NativeTable["plan"]>;
}

/** The selection that the options ask for, of the table at `pinned`. */
export async function selectionOf(pinned: ResolvedSource, options: ResolvedOptions): Promise<Selection> {
  const { permutation, splitStrategy } = options;
  if (permutation !== undefined) return ofPermutation(permutation.source);
  if (splitStrategy !== undefined) return await ofStrategy(pinned, splitStrategy, options);
  return {
    numRows: undefined,
    numSplits: undefined,
    permutation: null,
    splitStrategy: null,
    plan: (table, plan) => table.plan(plan),
  };
}

function ofPermutation({
  table: { handle },
  split,
  rows,
}: NonNullable<ResolvedOptions["permutation"]>["source"]): Selection {
  const text = JSON.stringify([handle.text, split, rows.view]);
  return {
    numRows: rows.numRows,
    numSplits: undefined,
    permutation: createHash("sha256").update(text).digest("hex").slice(0, 32),
    splitStrategy: null,
    base: handle,
    plan: (table, plan) => table.planRows(rows, plan),
  };
}

async function ofStrategy(
  pinned: ResolvedSource,
  strategy: NonNullable<ResolvedOptions["splitStrategy"]>,
  { filter, signal }: ResolvedOptions,
): Promise<Selection> {
  const start = new PermutationBuilder(pinned, filter === undefined ? {} : { filter }, {});
  const builder = strategy(start);
  if (!(builder instanceof PermutationBuilder))
    throw new LanceLoaderError(
      "INVALID_ARGUMENT",
      "splitStrategy gave no builder: it must return what the last call of its builder gave.",
    );
  const { handle, splitLengths } = await builder.executeAt(pinned, signal);
  const numSplits = splitLengths.length;
  const shortest = splitLengths.reduce((least, length) => Math.min(least, length));
  const dropped = splitLengths.reduce((sum, length) => sum + length - shortest, 0);
  if (dropped > 0 && shortest > 0)
    process.emitWarning(
      `The splits of splitStrategy are of unequal length: ${dropped} rows are left out so that each has ${shortest}.`,
      "LanceLoaderWarning",
    );
  return {
    numRows: shortest * numSplits,
    numSplits,
    permutation: null,
    splitStrategy: builder.configuration,
    base: handle,
    plan: (table, plan) => table.planSplits(handle, plan),
  };
}
