import { setTimeout as sleep } from "node:timers/promises";
import { aborted } from "../native-errors.ts";
import { type Asked, failureOf, isRetryable, TimedOut } from "./failure.ts";

/** How long and how often a server is asked for the same. */
export interface RequestLimits {
  /** How often an attempt is repeated whose answer did not come, or not whole. */
  readonly retries: number;
  /** Milliseconds that one attempt may take. */
  readonly timeout: number;
}

/** What ends attempts before their time. */
export interface Ending {
  /** Ends the attempt that is under way, too. */
  readonly signal?: AbortSignal | undefined;
  /** Asked before each repetition: whether anybody still wants the answer. */
  mayRepeat?(): boolean;
}

/** The waits between attempts: this many milliseconds, doubled each time up to the most. */
const firstWait = 250;
const longestWait = 8000;

/**
 * Runs `attempt` until it succeeds, fails for good, or was repeated as often as it may be.
 *
 * One that took too long may end at any later time: an attempt must do nothing beside what it answers.
 *
 * @throws {@link LanceLoaderError} What {@link failureOf} makes of the last failure; `ABORTED`.
 */
export async function attempted<Result>(
  attempt: () => Promise<Result>,
  asked: Asked,
  limits: RequestLimits,
  { signal, mayRepeat }: Ending = {},
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await within(attempt, limits.timeout, signal);
    } catch (error) {
      if (attempts > limits.retries || !isRetryable(error) || mayRepeat?.() === false)
        throw failureOf(error, asked, attempts);
      const wait = Math.min(longestWait, firstWait * 2 ** (attempts - 1));
      // Many ranks that failed together must not come back together.
      const spread = wait * (0.5 + Math.random() / 2);
      // What ends the wait is seen by the next attempt.
      await sleep(spread, undefined, signal && { signal }).catch(() => undefined);
    }
  }
}

/** The client has no way to end a request: one that takes too long is left to itself. */
async function within<Result>(
  attempt: () => Promise<Result>,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal?.aborted) throw aborted(signal);
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(milliseconds)), milliseconds);
    abort = () => reject(signal && aborted(signal));
    signal?.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([attempt(), late]);
  } finally {
    clearTimeout(timer);
    if (abort) signal?.removeEventListener("abort", abort);
  }
}
