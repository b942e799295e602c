import { expect } from "vitest";
import { type ErrorCode, LanceLoaderError } from "../../src/index.ts";

/** Runs `work`, which must fail with a code and a message that has all of `parts`. */
export async function failure(
  work: () => unknown,
  code: ErrorCode,
  ...parts: string[]
): Promise<LanceLoaderError> {
  let error: unknown;
  try {
    await work();
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof LanceLoaderError))
    throw new Error(`expected ${code}, got ${error}`, { cause: error });
  expect(error).toMatchObject({ code });
  for (const part of parts) expect(error.message).toContain(part);
  return error;
}
