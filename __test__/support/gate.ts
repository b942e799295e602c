/** Calls that wait until they are let go, one by one. */
export class Gate {
  #waiting: (() => void)[] = [];

  /** The calls that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits until this call is let go. */
  pass(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Lets the first call go, or the one at `place`. */
  open(place = 0): void {
    const [first] = this.#waiting.splice(place, 1);
    first?.();
  }
}
