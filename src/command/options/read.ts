import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Command, Option } from "commander";
import { type FetchMode, LanceLoaderError, type StreamingDatasetOptions } from "../../index.ts";
import { byteSize, wholeNumber } from "./parse.ts";

/** How rows are read and transformed; the order does not depend on it. */
export interface ReadOptions {
  readonly batchSize: number;
  readonly fetch?: FetchMode;
  readonly memoryBudget?: number;
  readonly scratchDir?: string;
  readonly scratchBytes?: number;
  readonly transform?: string;
  readonly transformParallelism?: number;
}

const fetchModes: readonly FetchMode[] = ["auto", "memory", "scratch", "take"];

/** Adds the batch size, and how rows are fetched, to a subcommand. */
export function withRead(command: Command, batchSize = 256): Command {
  return command
    .option("--batch-size <rows>", "rows of a batch", wholeNumber(1), batchSize)
    .addOption(new Option("--fetch <how>", "how rows are fetched (default: auto)").choices(fetchModes))
    .option(
      "--memory-budget <bytes>",
      "such as 512MiB (default: 1 GiB, or a quarter of the memory)",
      byteSize,
    )
    .option("--scratch-dir <folder>", "where scratch files may be", String)
    .option("--scratch-bytes <bytes>", "the most scratch at one time", byteSize);
}

/** Adds a transform to a subcommand. */
export function withTransform(command: Command): Command {
  return command
    .option("--transform <module>", "a file or a package with a transform as its default export")
    .option("--transform-parallelism <n>", "threads of the transform (default: the cores)", wholeNumber(1));
}

/** The same options as the library takes them. */
export function readOptionsOf(options: ReadOptions): StreamingDatasetOptions {
  const { fetch, memoryBudget, scratchDir, scratchBytes, transform, transformParallelism } = options;
  return {
    ...(fetch && { fetch }),
    ...(memoryBudget !== undefined && { memoryBudget }),
    ...(scratchDir !== undefined && { scratchDir }),
    ...(scratchBytes !== undefined && { scratchBytes }),
    ...(transform !== undefined && { transform: moduleOf(transform) }),
    ...(transformParallelism !== undefined && { transformParallelism }),
  };
}

/** A file by its path, else a package by its name. */
function moduleOf(text: string): URL | string {
  const path = resolve(text);
  if (existsSync(path)) return pathToFileURL(path);
  if (!/^[./\\]|\.[cm]?[jt]s$/.test(text)) return text;
  throw new LanceLoaderError("INVALID_ARGUMENT", `--transform is "${text}": there is no such file.`);
}
