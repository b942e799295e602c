import { readdirSync, statfsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { invalid } from "../check.ts";

/** Where data files of an object store are kept, and how large. */
export interface Cache {
  readonly cacheDir: string;
  /** Bytes. */
  readonly cacheBytes: number;
}

/**
 * The place of the cache: what the options say, `undefined` without a folder. By default it may have half of what is free on its disk, what it has already
 * counted as free.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` for a size without a folder.
 */
export function cacheOf(options: {
  readonly cacheDir: string | undefined;
  readonly cacheBytes: number | undefined;
}): Cache | undefined {
  const { cacheDir, cacheBytes } = options;
  if (cacheDir !== undefined)
    return {
      cacheDir,
      cacheBytes: cacheBytes ?? Math.floor((freeBytes(cacheDir) + usedBytes(cacheDir)) / 2),
    };
  if (cacheBytes === undefined) return undefined;
  throw invalid("cacheBytes", cacheBytes, "left out without cacheDir, the folder that it bounds");
}

/** What is free on the disk of a folder, which need not be there yet. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    const parent = resolve(folder, "..");
    return parent === resolve(folder) ? 0 : freeBytes(parent);
  }
}

/** What the files of the cache take on disk. */
function usedBytes(folder: string): number {
  let bytes = 0;
  try {
    for (const name of readdirSync(folder)) {
      const file = name.endsWith(".blocks") && statSync(join(folder, name), { throwIfNoEntry: false });
      if (file) bytes += file.blocks * 512;
    }
  } catch {
    // The folder is made when the table is opened, or the error is told then.
  }
  return bytes;
}
