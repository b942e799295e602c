import type { Data } from "apache-arrow";
import { recordTemplate } from "../record-template.ts";
import type { ValueReader } from "./reader.ts";

/** Reads structs as plain objects. */
export function structReader(fields: readonly { name: string; reader: ValueReader }[]): ValueReader {
  const newRecord = recordTemplate(fields.map(({ name }) => name));
  return ({ children }) => {
    const bound = fields.map(({ name, reader }, at) => ({ name, read: reader(children[at] as Data) }));
    return (index) => {
      const record = newRecord();
      for (const { name, read } of bound) record[name] = read(index);
      return record;
    };
  };
}
