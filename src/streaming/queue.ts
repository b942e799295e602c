/** First in, first out, in constant time. */
export class Queue<Item> {
  #items: Item[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#first];
    if (this.length === 0) return undefined;
    this.#first++;
    // Once half of the list was taken, moving the rest costs what was taken.
    if (this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
