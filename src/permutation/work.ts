import type { NativeBinding } from "../native.ts";
import { fromNative, native } from "../tables/native-errors.ts";
import type { ResolvedSource } from "../tables/source.ts";

/** The addon's handle of a permutation. */
export type NativePermutation = InstanceType<NativeBinding["PermutationHandle"]>;
/** The addon's handle of rows of a split. */
export type NativeRows = InstanceType<NativeBinding["PermutationRows"]>;

type Work = ReturnType<NativeBinding["buildPermutation"]>;

/** Begins work of the addon and waits for its permutation. */
export async function settled(begin: () => Work): Promise<NativePermutation> {
  const work = native(begin);
  try {
    await work.wait();
    return work.finish();
  } catch (error) {
    throw fromNative(error);
  }
}

/** A source as the addon takes it, at a version where one is given. */
export function locationOf(source: ResolvedSource): Parameters<NativeBinding["buildPermutation"]>[0] {
  const { uri, storageOptions, version, branch } = source;
  return {
    uri,
    ...(storageOptions !== undefined && { storageOptions }),
    ...(version !== undefined && { version }),
    ...(branch !== undefined && { branch }),
  };
}
