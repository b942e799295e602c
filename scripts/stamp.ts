import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The checkout. */
export const root = join(import.meta.dirname, "..");

/** A digest of files' paths and contents: folders with all that is in them, and words that count like content. */
export function digest(paths: readonly string[], words: readonly string[] = []): string {
  const hash = createHash("sha256").update(JSON.stringify(words));
  for (const path of paths.flatMap(filesUnder)) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex");
}

/** Whether what is called `name` was last made from this digest. */
export function isFresh(name: string, made: string): boolean {
  const path = stampOf(name);
  return existsSync(path) && readFileSync(path, "utf8") === made;
}

/** Remembers the digest that what is called `name` was made from. */
export function remember(name: string, made: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(stampOf(name), made);
}

const folder = join(root, "node_modules", ".cache", "lance-loader");

function stampOf(name: string): string {
  return join(folder, `${name}.stamp`);
}

function filesUnder(path: string): string[] {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesUnder(`${path}/${name}`));
}
