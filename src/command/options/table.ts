import type { Command } from "commander";
import { LanceLoaderError, type TableLocation } from "../../index.ts";
import { collect, wholeNumber } from "./parse.ts";

/** Which table, and which version of it. */
export interface TableOptions {
  readonly versionOfTable?: number;
  readonly branch?: string;
  readonly storageOption?: readonly string[];
}

/** Adds the table and its options to a subcommand. */
export function withTable(command: Command): Command {
  return command
    .argument("<table>", "path or URI of a Lance table, a folder that ends in .lance")
    .option("--version-of-table <n>", "the version to read (default: the newest)", wholeNumber(1))
    .option("--branch <name>", "the branch to read (default: main)")
    .option(
      "--storage-option <key=value>",
      "an option of the object store; may be given several times",
      collect,
    );
}

/** A table as the library opens it. */
export function locationOf(uri: string, { storageOption = [] }: TableOptions): TableLocation {
  if (storageOption.length === 0) return { uri };
  return { uri, storageOptions: Object.fromEntries(storageOption.map(keyAndValue)) };
}

/** The version and the branch. */
export function versionOf({ versionOfTable, branch }: TableOptions): { version?: number; branch?: string } {
  return {
    ...(versionOfTable !== undefined && { version: versionOfTable }),
    ...(branch !== undefined && { branch }),
  };
}

function keyAndValue(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  // What stands there may be a secret: it is not repeated.
  throw new LanceLoaderError(
    "INVALID_ARGUMENT",
    "--storage-option must be key=value, such as region=eu-west-1.",
  );
}
