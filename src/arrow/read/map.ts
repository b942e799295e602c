import type { Data } from "apache-arrow";
import type { RowValue } from "../row-value.ts";
import type { ValueReader } from "./reader.ts";

/** Reads maps; of equal keys the last one counts, as in any `Map`. */
export function mapReader(keyReader: ValueReader, valueReader: ValueReader): ValueReader {
  return ({ children: [entries], valueOffsets }) => {
    const [keys, values] = (entries as Data).children as [Data, Data];
    const readKey = keyReader(keys);
    const readItem = valueReader(values);
    return (index) => {
      const map = new Map<RowValue, RowValue>();
      for (let at = valueOffsets[index]; at < valueOffsets[index + 1]; at++) {
        map.set(readKey(at), readItem(at));
      }
      return map;
    };
  };
}
