import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import { root } from "../folders.ts";

/** Where and with what a measurement was made. */
export interface Environment {
  /** The day, as `2026-11-30`. */
  readonly date: string;
  readonly machine: string;
  /** Versions by package, Node and Python included. */
  readonly versions: Readonly<Record<string, string>>;
}

/** This machine and what runs on it, with `more` versions. */
export function environment(more: Readonly<Record<string, string>> = {}): Environment {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const packages = ["@lancedb/lancedb", "apache-arrow", "tinybench"];
  const versions = Object.fromEntries(packages.map((name) => [name, versionOf(name)]));
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${type()} ${process.arch}, ${processors.length} × ${processors[0]?.model.trim()}, ${memory} GiB`,
    versions: { node: process.versions.node, "lance-loader": ownVersion(), ...versions, ...more },
  };
}

/** The environment as two lines of Markdown. */
export function describe({ date, machine, versions }: Environment): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${date}, ${machine}.\nVersions: ${list.join(", ")}.`;
}

function ownVersion(): string {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
}

/** The installed version of a package, which need not export its package.json. */
function versionOf(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const folder of folders) {
    try {
      return JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")).version;
    } catch {
      // It is in a folder further up.
    }
  }
  return "unknown";
}
