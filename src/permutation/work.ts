import { checkOptions, checkSignal, show } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";
import type { NativeBinding } from "../native.ts";
import { aborted, fromNative, native } from "../tables/native-errors.ts";
import type { ResolvedSource } from "../tables/source.ts";

/** The addon's handle of a permutation. */
export type NativePermutation = InstanceType<NativeBinding["PermutationHandle"]>;
/** The addon's handle of rows of a split. */
export type NativeRows = InstanceType<NativeBinding["PermutationRows"]>;

type Work = ReturnType<NativeBinding["buildPermutation"]>;

/** How the building or the writing of a permutation is ended. */
export interface BuildOptions {
  /** Ends the work with the error `ABORTED`, whose cause is the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The signal of checked options. */
export function signalOf(options: BuildOptions): AbortSignal | undefined {
  checkOptions("options", options, ["signal"]);
  return options.signal === undefined ? undefined : checkSignal(options.signal);
}

const what = "The work on the permutation";

/** Begins work of the addon and waits for its permutation. */
export async function settled(begin: () => Work, signal?: AbortSignal): Promise<NativePermutation> {
  if (signal?.aborted) throw aborted(signal, what);
  const work = native(begin);
  const cancel = () => work.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    await work.wait();
    return work.finish();
  } catch (error) {
    throw signal?.aborted ? aborted(signal, what) : fromNative(error);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

/**
 * A source as the addon takes it, at a version where one is given.
 *
 * @throws {@link LanceLoaderError} `UNSUPPORTED_SOURCE` for a remote table, which has no place.
 */
export function locationOf(source: ResolvedSource): Parameters<NativeBinding["buildPermutation"]>[0] {
  const { uri, storageOptions, version, branch, remote } = source;
  if (remote !== undefined)
    throw new LanceLoaderError(
      "UNSUPPORTED_SOURCE",
      `A permutation can't be read from the remote table ${show(uri)}: a server's scan has no order, and that is what a permutation is. ` +
        "Store it on disk or in an object store.",
    );
  return {
    uri,
    ...(storageOptions !== undefined && { storageOptions }),
    ...(version !== undefined && { version }),
    ...(branch !== undefined && { branch }),
  };
}
