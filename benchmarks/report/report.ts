import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./environment.ts";

/** What a suite found. */
export interface Report {
  /** The name of its files. */
  readonly name: string;
  /** For readers. */
  readonly markdown: string;
  /** SVG images by name. */
  readonly plots?: Readonly<Record<string, string>>;
  /** Everything that was measured, for programs; without it nothing is written. */
  readonly data?: { readonly environment: Environment; readonly [more: string]: unknown };
}

/**
 * Writes a report as `<name>.json`, `<name>.md` and an SVG a plot, over an older one.
 *
 * @returns The files' paths.
 */
export function saveReport(folder: string, { name, markdown, plots = {}, data }: Report): string[] {
  mkdirSync(folder, { recursive: true });
  const files: Record<string, string> = {
    [`${name}.json`]: JSON.stringify(data, undefined, 1),
    [`${name}.md`]: markdown.trim(),
  };
  for (const [plot, image] of Object.entries(plots)) files[`${name}-${plot}.svg`] = image;
  return Object.entries(files).map(([file, text]) => {
    const path = join(folder, file);
    writeFileSync(path, `${text}\n`);
    return path;
  });
}
