import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Where scratch files may be, and how large. */
export interface Scratch {
  readonly scratchDir: string;
  /** Bytes; 0 for none. */
  readonly scratchBytes: number;
}

/** `f_type` of file systems whose files are memory: Linux's tmpfs and ramfs. */
const memoryFileSystems: readonly number[] = [0x01021994, 0x858458f6];

/**
 * The place of scratch files: what the options say, or half of what is free in the folder for temporary files. Where that folder is memory, none: it
 * would be a cache beyond every budget.
 */
export function scratchOf(options: {
  readonly scratchDir: string | undefined;
  readonly scratchBytes: number | undefined;
}): Scratch {
  const { scratchDir = tmpdir(), scratchBytes } = options;
  return {
    scratchDir,
    scratchBytes: scratchBytes ?? freeBytes(scratchDir, options.scratchDir !== undefined),
  };
}

function freeBytes(folder: string, named: boolean): number {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    return !named && memoryFileSystems.includes(type) ? 0 : Math.floor((bavail * bsize) / 2);
  } catch {
    // Who named the folder is told what is wrong with it when it is used.
    return named ? Number.MAX_SAFE_INTEGER : 0;
  }
}
