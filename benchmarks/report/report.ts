import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./environment.ts";

/** What a suite found. */
export interface Report {
  /** The name of its files. */
  readonly name: string;
  /** For readers. */
  readonly markdown: string;
  /** Everything that was measured, for programs; without it nothing is written. */
  readonly data?: { readonly environment: Environment; readonly [more: string]: unknown };
}

/** Writes a report as `<name>.json` and `<name>.md`, over an older one, and answers their paths. */
export function saveReport(folder: string, { name, markdown, data }: Report): string[] {
  mkdirSync(folder, { recursive: true });
  const files = { [`${name}.json`]: JSON.stringify(data, undefined, 1), [`${name}.md`]: markdown.trim() };
  return Object.entries(files).map(([file, text]) => {
    const path = join(folder, file);
    writeFileSync(path, `${text}\n`);
    return path;
  });
}
