import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type * as addon from "../native/index.js";
import { LanceLoaderError } from "./errors.ts";
import { addonFile, currentHost, type Host, platformPackage, targets, tripleOf } from "./platform.ts";

/** What the addon exports, as its build declares it. */
export type NativeBinding = typeof addon;

/** How an addon is found and opened, replaceable by tests. */
export interface AddonOpener {
  /** The folder of local builds: a checkout's, or a package's that carries its build. */
  readonly folder: string;
  /** Whether a file exists. */
  exists(path: string): boolean;
  /** Node's `require`, for a path or a package name. */
  require(id: string): unknown;
}

let loaded: NativeBinding | undefined;

/**
 * The addon, loaded on the first call and kept.
 *
 * @throws {LanceLoaderError} `UNSUPPORTED_PLATFORM` when there is no build for this platform or it can't be loaded.
 */
export function loadBinding(): NativeBinding {
  loaded ??= openAddon(currentHost, currentOpener) as NativeBinding;
  return loaded;
}

/**
 * Opens the addon for a host: the local build when there is one, else the platform's package.
 *
 * @throws {LanceLoaderError} `UNSUPPORTED_PLATFORM`, with what `require` threw as its cause.
 */
export function openAddon(host: Host, opener: AddonOpener): unknown {
  const triple = tripleOf(host);
  const local = `${opener.folder}/${addonFile(triple)}`;
  const id = opener.exists(local) ? local : platformPackage(triple);
  try {
    return opener.require(id);
  } catch (cause) {
    throw new LanceLoaderError("UNSUPPORTED_PLATFORM", explain(triple, id, cause), { cause });
  }
}

function explain(triple: string, id: string, cause: unknown): string {
  const supported = targets.map((target) => target.triple).join(", ");
  const reason = cause instanceof Error ? cause.message.split("\n", 1)[0] : String(cause);
  if (!targets.some((target) => target.triple === triple)) {
    return `There is no build of lance-loader for ${triple}. Supported platforms: ${supported}. Loading ${id} failed: ${reason}`;
  }
  return (
    `The addon of lance-loader for ${triple} could not be loaded from ${id}: ${reason}. ` +
    `Install again on this platform, with optional dependencies. Supported platforms: ${supported}.`
  );
}

// Both `src/` (tests) and `dist/` (users) lie beside `native/`.
const currentOpener: AddonOpener = {
  folder: fileURLToPath(new URL("../native", import.meta.url)),
  exists: existsSync,
  require: createRequire(import.meta.url),
};
