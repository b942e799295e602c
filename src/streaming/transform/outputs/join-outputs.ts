import { LanceLoaderError } from "../../../errors.ts";
import type { Outputs } from "./outputs.ts";

/**
 * Outputs one after the other; at least one piece.
 *
 * @throws {@link LanceLoaderError} `TRANSFORM_FAILED` where they are of different forms, or their columns do not go together.
 */
export function joinOutputs(pieces: readonly Outputs[]): Outputs {
  const [first, ...others] = pieces as readonly [Outputs, ...Outputs[]];
  if (others.length === 0) return first;
  const different = others.find(({ form }) => form !== first.form);
  if (different !== undefined)
    throw new LanceLoaderError(
      "TRANSFORM_FAILED",
      `transform gave ${first.form} for some rows and ${different.form} for others: it must give one form for all.`,
    );
  return first.join(others);
}
