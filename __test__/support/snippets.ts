import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The checkout. */
export const root = join(import.meta.dirname, "..", "..");

/** A fenced block of code in a page of the documentation. */
export interface Snippet {
  /** The line of the page that the block starts at, from 1. */
  readonly line: number;
  readonly code: string;
}

/** The TypeScript blocks of a page, by its path in the checkout or a whole one. */
export function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(resolve(root, page), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ index, 1: code = "" }) => ({
    line: text.slice(0, index).split("\n").length + 1,
    code,
  }));
}
