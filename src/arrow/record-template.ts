import type { Row } from "./row-value.ts";

/**
 * Makes objects that have the fields `names`, all null, ready to be filled.
 *
 * All of them share one hidden class from the start, which makes filling them fast, and `__proto__` is a field like any other.
 */
export function recordTemplate(names: readonly string[]): () => Row {
  const template: Row = {};
  for (const name of names) {
    Object.defineProperty(template, name, {
      value: null,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return () => ({ ...template });
}
