/** Does asynchronous work one piece after another, in the order in which it was asked for. */
export class Turns {
  #last: Promise<unknown> | undefined;

  /** Whether something is under way. */
  get busy(): boolean {
    return this.#last !== undefined;
  }

  /** Does `work` once all that was asked for before has settled: at once where nothing is under way. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last === undefined ? work() : this.#last.then(work, work);
    this.#last = result;
    const settled = () => {
      if (this.#last === result) this.#last = undefined;
    };
    result.then(settled, settled);
    return result;
  }
}
