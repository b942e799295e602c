import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateTypeDef } from "@napi-rs/cli";
import { addonFile, currentHost, tripleOf } from "../../src/platform.ts";
import { cargo, rustSources, targetFolder } from "../cargo.ts";
import { Failure, say } from "../process.mjs";
import { digest, isFresh, remember, root } from "../stamp.ts";
import { ensureTools, rustVersion } from "./tools.ts";

const native = join(root, "native");
const types = join(native, "types");
const declarations = join(native, "index.d.ts");
const addon = join(native, addonFile(tripleOf(currentHost)));

/** Builds the addon and its declarations, unless they were made from the sources as they are. */
export async function ensureAddon(): Promise<void> {
  const sources = digest(addonSources(), [rustVersion() ?? "", targetFolder()]);
  if (isFresh("addon", sources) && existsSync(addon) && existsSync(declarations)) return;
  await ensureTools();
  const isFirst = !existsSync(join(targetFolder(), "release"));
  say(`building the addon${isFirst ? " (the first time, 25 to 45 minutes on two cores)" : ""}`);
  await buildAddon();
  installAddon();
  await writeDeclarations();
  remember("addon", sources);
}

/** What the addon and its declarations are made from: no tests, and not the crate that only tests use. */
function addonSources(): string[] {
  const crates = readdirSync(join(root, "crates")).filter((name) => name !== "testkit");
  const inCrates = crates.flatMap((name) => [`crates/${name}/Cargo.toml`, `crates/${name}/src`]);
  const others = rustSources.filter((path) => path !== "crates");
  return [...others, "scripts/setup/addon-header.d.ts", ...inCrates.sort()];
}

/**
 * Builds with cargo itself: `napi build` always names a target triple, which moves all output to another folder, and the heavy
 * dependencies would be compiled once for the addon and once more for the tests.
 */
async function buildAddon(): Promise<void> {
  // The macros write declarations while they are expanded, in every build of the crate: tests and lints leave theirs here, too,
  // and a crate that is up to date writes none.
  rmSync(types, { recursive: true, force: true });
  mkdirSync(types, { recursive: true });
  await cargoBuild();
  if (readdirSync(types).length > 0) return;
  await cargo(["clean", "--release", "-p", "lance-loader-node"]);
  await cargoBuild();
}

async function cargoBuild(): Promise<void> {
  const locked = process.env["CI"] ? ["--locked"] : [];
  const code = await cargo(["build", "--release", "-p", "lance-loader-node", ...locked]);
  if (code !== 0) throw new Failure("the addon did not build (see above)");
}

/** Puts the built library in its place at once: a process that has the old one loaded keeps it. */
function installAddon(): void {
  const names: Record<string, string> = {
    darwin: "liblance_loader_node.dylib",
    win32: "lance_loader_node.dll",
  };
  const built = join(targetFolder(), "release", names[process.platform] ?? "liblance_loader_node.so");
  const next = `${addon}.next`;
  copyFileSync(built, next);
  renameSync(next, addon);
}

async function writeDeclarations(): Promise<void> {
  const { dts } = await generateTypeDef({
    typeDefDir: types,
    cwd: root,
    constEnum: false,
    dtsHeaderFile: "scripts/setup/addon-header.d.ts",
  });
  if (dts === "") throw new Failure("the addon declares nothing: napi's macros wrote no declarations");
  writeFileSync(declarations, dts);
}
