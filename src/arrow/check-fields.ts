import { Data, DataType, type Field, IntervalUnit } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import { childFields, storageOf } from "./storage.ts";

/**
 * Refuses fields that a batch cannot hold: types without storage, and a name that stands twice on one level.
 *
 * @throws {@link LanceLoaderError} `UNSUPPORTED_TYPE` or `INVALID_ARGUMENT`, naming the path to the field.
 */
export function checkFields(fields: readonly Field[], parent = ""): void {
  const seen = new Set<string>();
  for (const { name, type } of fields) {
    const path = parent + name;
    if (seen.has(name)) {
      throw new LanceLoaderError(
        "INVALID_ARGUMENT",
        `The name ${JSON.stringify(path)} stands twice in the schema, and a row is an object with one value a name: rename one.`,
      );
    }
    seen.add(name);
    checkType(type, path);
  }
}

function checkType(type: DataType, path: string): void {
  storageOf(type, path);
  if (
    DataType.isInterval(type) &&
    type.unit === IntervalUnit.MONTH_DAY_NANO &&
    new Data(type, 0, 0).stride !== 4
  ) {
    throw new LanceLoaderError(
      "UNSUPPORTED_TYPE",
      `The column ${JSON.stringify(path)} holds month-day-nano intervals, which this apache-arrow cannot read: install a newer one.`,
    );
  }
  if (DataType.isDictionary(type)) checkType(type.dictionary, path);
  checkFields(childFields(type), `${path}.`);
}
