// Lays out what is published, ready for `npm pack` and `npm publish`: `node scripts/stage.ts FOLDER [ADDONS]`.
//
// FOLDER gets the main package, and in `npm/` one package for each platform whose addon is in the folder ADDONS (`native/` by default).
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { NapiCli } from "@napi-rs/cli";
import { addonFile, targets } from "../src/platform.ts";
import { exitWith, Failure, say } from "./process.mjs";
import { root } from "./stamp.ts";

/** The folders of packages that are ready to be packed. */
export interface Staged {
  readonly main: string;
  /** By triple. */
  readonly platforms: Readonly<Record<string, string>>;
}

/**
 * Lays out the packages. @napi-rs/cli makes the platforms' and names them in the main one's optional dependencies, all at its version.
 *
 * @param folder - is emptied first.
 * @param addons - the folder of the built addons. Platforms without one are left out.
 */
export async function stage(folder: string, addons: string): Promise<Staged> {
  const built = targets
    .map(({ triple }) => triple)
    .filter((triple) => existsSync(join(addons, addonFile(triple))));
  if (built.length === 0)
    throw new Failure(`there is no addon in ${addons}: \`npm run build\` makes the one of this platform.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = publishedManifest(built);
  for (const path of [...manifest.files, "README.md", "LICENSE"])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const napi = new NapiCli();
  await napi.createNpmDirs({ cwd: folder });
  const platforms = built.map((triple): [string, string] => {
    const platform = join(folder, "npm", triple);
    cpSync(join(addons, addonFile(triple)), join(platform, addonFile(triple)));
    cpSync(join(root, "LICENSE"), join(platform, "LICENSE"));
    return [triple, platform];
  });
  await napi.prePublish({ cwd: folder, skipOptionalPublish: true, ghRelease: false, tagStyle: "npm" });
  return { main: folder, platforms: Object.fromEntries(platforms) };
}

/** package.json without what only a checkout needs, for the platforms of these triples. */
function publishedManifest(built: readonly string[]) {
  const { scripts, devDependencies, allowScripts, ...manifest } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const named = manifest.napi.targets as string[];
  const chosen = targets.flatMap(({ triple }, at) => (built.includes(triple) ? [named[at]] : []));
  return { ...manifest, napi: { ...manifest.napi, targets: chosen } };
}

if (import.meta.main) {
  await exitWith(async () => {
    const [folder, addons = join(root, "native")] = process.argv.slice(2);
    if (folder === undefined)
      throw new Failure("the folder is missing: node scripts/stage.ts FOLDER [ADDONS]");
    const { main, platforms } = await stage(resolve(folder), resolve(addons));
    say(`${main} has the packages of ${Object.keys(platforms).join(", ")}`);
    return 0;
  });
}
