import type { NativeBinding } from "../native.ts";
import { native } from "../tables/native-errors.ts";

type Opening = ReturnType<NativeBinding["open"]>;

/** Begins to open a table and waits for it; the signal ends it. */
export async function settledOpening(
  begin: () => Opening,
  signal: AbortSignal | undefined,
): Promise<ReturnType<Opening["finish"]>> {
  const opening = native(begin);
  const cancel = () => opening.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    await opening.wait();
    return native(() => opening.finish());
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
