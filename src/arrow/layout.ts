import { type Data, type DataType, Vector } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import { makeData, valuesArray } from "./make-data.ts";
import type { NumericArrayConstructor } from "./numeric.ts";
import { childTypes, type Storage, storageOf } from "./storage.ts";

/** A batch as the addon hands it over: one block of memory and the places of all Arrow buffers in it. */
export interface NativeBatch {
  readonly numRows: number;
  /** The block. Every buffer begins at a multiple of 64 bytes. */
  readonly data: ArrayBuffer;
  /**
   * For each column, depth first: length, null count, (offset, byte length) of each of its buffers, then its children
   * (a dictionary's values being its child).
   */
  readonly layout: Float64Array;
}

const bufferCounts: Record<Storage, number> = {
  null: 0,
  bits: 2,
  fixed: 2,
  bytes: 3,
  list: 2,
  "fixed-list": 1,
  struct: 1,
  dictionary: 2,
};

/** How many numbers of a layout a column of `type` takes, its children's included. */
export function layoutSize(type: DataType): number {
  const own = 2 + 2 * bufferCounts[storageOf(type)];
  return childTypes(type).reduce((sum, child) => sum + layoutSize(child), own);
}

/**
 * Makes the data of a column, without copying any of it.
 *
 * @param start - where the column begins in the layout.
 */
export function readLayout(type: DataType, { data, layout }: NativeBatch, start: number): Data {
  return new LayoutReader(data, layout, start).column(type);
}

class LayoutReader {
  readonly #block: ArrayBuffer;
  readonly #layout: Float64Array;
  #at: number;

  constructor(block: ArrayBuffer, layout: Float64Array, start: number) {
    this.#block = block;
    this.#layout = layout;
    this.#at = start;
  }

  column(type: DataType): Data {
    const storage = storageOf(type);
    const length = this.#next();
    const nullCount = this.#next();
    if (storage === "null") return makeData(type, { length, nullCount: length });
    const validity = this.#buffer(Uint8Array) as Uint8Array;
    const parts = { length, nullCount, validity: nullCount === 0 ? undefined : validity };
    switch (storage) {
      case "bits":
      case "fixed":
        return makeData(type, { ...parts, values: this.#buffer(valuesArray(type)) });
      case "bytes": {
        const offsets = this.#buffer(Int32Array) as Int32Array;
        return makeData(type, { ...parts, offsets, values: this.#buffer(Uint8Array) });
      }
      case "list": {
        const offsets = this.#buffer(Int32Array) as Int32Array;
        return makeData(type, { ...parts, offsets, children: this.#children(type) });
      }
      case "dictionary": {
        const values = this.#buffer(valuesArray(type));
        return makeData(type, { ...parts, values, dictionary: new Vector(this.#children(type)) });
      }
      default:
        return makeData(type, { ...parts, children: this.#children(type) });
    }
  }

  #children(type: DataType): Data[] {
    return childTypes(type).map((child) => this.column(child));
  }

  #buffer(array: NumericArrayConstructor) {
    const offset = this.#next();
    return new array(this.#block, offset, this.#next() / array.BYTES_PER_ELEMENT);
  }

  #next(): number {
    const value = this.#layout[this.#at++];
    if (value === undefined)
      throw new LanceLoaderError("INTERNAL", "The layout of a batch is shorter than its schema.");
    return value;
  }
}
