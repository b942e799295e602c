import { execFileSync } from "node:child_process";

/** A crate of the workspace and what its manifest depends on. */
export interface Crate {
  readonly name: string;
  readonly dependencies: readonly { readonly name: string; readonly kind: string | null }[];
}

const prefix = "lance-loader-";

/** The layers of the crates, the lowest first. The testkit serves tests and stands beside them. */
const layers = [
  ["order"],
  ["permutation", "packing"],
  ["fetch"],
  ["testkit", "lance-source", "remote-source"],
  ["node"],
];

/** Crates whose tests may compile lance. */
const heavy = [`${prefix}lance-source`, `${prefix}node`];

/** The workspace's crates, as cargo reads their manifests. */
export function workspaceCrates(root: string): Crate[] {
  const args = ["metadata", "--format-version=1", "--no-deps", "--offline"];
  const metadata = execFileSync("cargo", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  return JSON.parse(metadata).packages;
}

/** Every dependency of a crate that breaks the rules of the architecture, one line each. */
export function crateBreaches({ name, dependencies }: Crate): string[] {
  return dependencies
    .filter((dependency) => !isAllowed(name, dependency))
    .map((dependency) => `${name} depends on ${dependency.name} (${dependency.kind ?? "normal"})`);
}

function isAllowed(name: string, dependency: Crate["dependencies"][number]): boolean {
  const isForTests = dependency.kind === "dev";
  if (dependency.name.startsWith("napi")) return name === `${prefix}node`;
  if (!dependency.name.startsWith(prefix)) {
    return !/^lance(-|$)/.test(dependency.name) || name === `${prefix}lance-source`;
  }
  if (isForTests) return heavy.includes(name) || !heavy.includes(dependency.name);
  if (dependency.name === `${prefix}testkit`) return false;
  return rankOf(dependency.name) < rankOf(name);
}

function rankOf(name: string): number {
  return layers.findIndex((names) => names.includes(name.slice(prefix.length)));
}
