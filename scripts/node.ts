import { run } from "./process.mjs";
import { root } from "./stamp.ts";

/**
 * Runs a script on this very Node, in the checkout: `node(["node_modules/vitest/vitest.mjs", "run"])`.
 *
 * @returns The exit code.
 */
export function node(
  args: readonly string[],
  options: { onOutput?: (chunk: string) => void } = {},
): Promise<number> {
  return run(process.execPath, [...args], { cwd: root, ...options });
}
