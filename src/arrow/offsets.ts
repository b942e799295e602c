import { LanceLoaderError } from "../errors.ts";

/** The most bytes or items that a column with 32-bit offsets holds. */
const largest = 2 ** 31 - 1;

/**
 * Refuses a column that is too long for 32-bit offsets.
 *
 * @returns `total`.
 * @throws {@link LanceLoaderError} `BATCH_TOO_LARGE`.
 */
export function checkOffset(total: number): number {
  if (total <= largest) return total;
  throw new LanceLoaderError(
    "BATCH_TOO_LARGE",
    `A column of the batch holds ${total} bytes or items, and at most ${largest} fit: ask for fewer rows at a time.`,
  );
}
