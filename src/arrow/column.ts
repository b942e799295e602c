import type { Data } from "apache-arrow";
import type { ReadValue } from "./read/reader.ts";
import { valueReader } from "./read/value-reader.ts";

/** One column of a block of memory: its data and the reader of its values, each made when first touched and kept. */
export class Column {
  #data: Data | undefined;
  #read: ReadValue | undefined;
  readonly #load: () => Data;

  constructor(load: () => Data) {
    this.#load = load;
  }

  /** The whole column. */
  get data(): Data {
    this.#data ??= this.#load();
    return this.#data;
  }

  /** Reads one value of it as a row holds it. */
  get read(): ReadValue {
    this.#read ??= valueReader(this.data.type)(this.data);
    return this.#read;
  }

  /** The data of a range of rows, sharing the column's memory. */
  range(start: number, length: number): Data {
    const { data } = this;
    return start === 0 && length === data.length ? data : data.slice(start, length);
  }
}
