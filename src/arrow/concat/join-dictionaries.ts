import { type Data, Dictionary, Int32, type Vector } from "apache-arrow";
import type { NumericArray } from "../dtype.ts";
import { valuesArray } from "../make-data.ts";
import { joinArrays } from "./join-arrays.ts";

/** Keys of several pieces of a column, and the chunks of the one dictionary that they now point into. */
export interface JoinedDictionary {
  readonly type: Dictionary;
  readonly chunks: readonly Data[];
  readonly keys: NumericArray;
}

/** Ids of joined dictionaries. apache-arrow and Arrow's writers count theirs from 0, and within one schema ids must differ. */
let lastId = 2 ** 31;

/**
 * Joins the dictionaries and keys of at least one piece of a column.
 *
 * A dictionary that all others are beginnings of (one that grew from batch to batch) stays as it is, and so do keys and type.
 * Otherwise the dictionaries stand one after the other, and the keys, now of 32 bits, count on. Values that are in several are not
 * looked for.
 */
export function joinDictionaries(type: Dictionary, pieces: readonly Data[]): JoinedDictionary {
  const dictionaries = [...new Set(pieces.map(({ dictionary }) => dictionary as Vector))];
  const longest = dictionaries.reduce((a, b) => (b.data.length > a.data.length ? b : a)).data;
  if (dictionaries.every(({ data }) => data.every((chunk, at) => chunk === longest[at]))) {
    const keys = pieces.map(({ values, length }) => values.subarray(0, length));
    return { type, chunks: longest, keys: joinArrays(keys, valuesArray(type)) };
  }
  const starts = new Map<Vector, number>();
  let end = 0;
  for (const dictionary of dictionaries) {
    starts.set(dictionary, end);
    end += dictionary.length;
  }
  const keys = pieces.map(({ values, length, dictionary }) => {
    const start = starts.get(dictionary as Vector) ?? 0;
    return Int32Array.from({ length }, (_, at) => Number(values[at]) + start);
  });
  lastId += 1;
  return {
    type: new Dictionary(type.dictionary, new Int32(), lastId, false),
    chunks: dictionaries.flatMap(({ data }) => data),
    keys: joinArrays(keys, Int32Array),
  };
}
