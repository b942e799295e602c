/** Row ids of a bitmap: 128 KiB. */
const rowsOfBitmap = 2 ** 20;

/** Row ids that were seen. A bit each, in bitmaps for stretches of ids that occur: 125 MB for 10^9 rows that lie together. */
export class RowIdSet {
  readonly #bitmaps = new Map<number, Uint32Array>();
  #size = 0;

  /** How many different row ids were added. */
  get size(): number {
    return this.#size;
  }

  /** Adds row ids, and says how many of them were there before. */
  add(ids: BigUint64Array): number {
    // Halves of 32 bits, the lower first: all platforms of the addon are little-endian.
    const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
    const before = this.#size;
    for (let at = 0; at < halves.length; at += 2) this.#addOne(halves[at] ?? 0, halves[at + 1] ?? 0);
    return ids.length - (this.#size - before);
  }

  #addOne(low: number, high: number): void {
    const key = high * 2 ** 12 + (low >>> 20);
    let bitmap = this.#bitmaps.get(key);
    if (bitmap === undefined) {
      bitmap = new Uint32Array(rowsOfBitmap / 32);
      this.#bitmaps.set(key, bitmap);
    }
    const row = low & (rowsOfBitmap - 1);
    const word = bitmap[row >>> 5] ?? 0;
    const bit = 1 << (row & 31);
    if ((word & bit) !== 0) return;
    bitmap[row >>> 5] = word | bit;
    this.#size++;
  }
}
