import { setImmediate } from "node:timers/promises";

/** Milliseconds for which a consumer may hold the event loop. */
const heldMilliseconds = 10;
/** Samples between two looks at the clock. A look at each would be a seventh of the cost of a loop over samples. */
const samplesPerLook = 16;

/**
 * The event loop under a consumer that never waits.
 *
 * A loop over promises that are settled already never lets the event loop turn, but timers, signals and the finalizers of lent
 * memory need its turns.
 */
export class EventLoop {
  #turned = performance.now();
  #samples = 0;

  /** Counts samples that were handed over without waiting. */
  count(samples: number): void {
    this.#samples += samples;
  }

  /** Whether it has been held for long. Looked at as often as you like. */
  get isHeld(): boolean {
    if (this.#samples < samplesPerLook) return false;
    if (performance.now() - this.#turned > heldMilliseconds) return true;
    this.#samples = 0;
    return false;
  }

  /** Lets it turn once. */
  async turn(): Promise<void> {
    await setImmediate();
    this.#turned = performance.now();
    this.#samples = 0;
  }
}
