import { inspect } from "node:util";

/** All that an error tells to whoever prints it, its causes included. */
export function textOf(error: Error): string {
  return inspect(error, { depth: 10 });
}
