import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stage } from "../../scripts/stage.ts";
import { addonFile, currentHost, platformPackage, targets, tripleOf } from "../../src/platform.ts";
import { root } from "../support/snippets.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const { version, napi } = manifestOf(root);

it("the_packages_that_are_built_named_and_looked_for_are_the_same_at_one_version", async () => {
  // What they hold doesn't matter here.
  for (const { triple } of targets) writeFileSync(join(folder, addonFile(triple)), triple);
  const { main, platforms } = await stage(join(folder, "staged"), folder);
  const names = targets.map(({ triple }) => platformPackage(triple));
  expect(manifestOf(main).version).toBe(version);
  expect(manifestOf(main)["optionalDependencies"]).toEqual(
    Object.fromEntries(names.map((name) => [name, version])),
  );
  expect(Object.keys(platforms)).toHaveLength(7);
  for (const { triple, platform, arch, libc } of targets) {
    const manifest = manifestOf(platforms[triple] ?? "");
    expect(manifest).toMatchObject({
      name: platformPackage(triple),
      version,
      main: addonFile(triple),
      files: [addonFile(triple)],
      os: [platform],
      cpu: [arch],
    });
    expect(manifest["libc"]).toEqual(libc && [libc]);
    expect(readFileSync(join(platforms[triple] ?? "", addonFile(triple)), "utf8")).toBe(triple);
  }
});

it("a_platform_without_a_build_is_in_no_package", async () => {
  const own = tripleOf(currentHost);
  const { main, platforms } = await stage(join(folder, "own"), join(root, "native"));
  expect(Object.keys(platforms)).toEqual([own]);
  expect(manifestOf(main)["optionalDependencies"]).toEqual({ [platformPackage(own)]: version });
});

it("the_release_builds_every_platform_of_the_loader_and_no_other", () => {
  const workflow = readFileSync(join(root, ".github", "workflows", "release.yml"), "utf8");
  const built = [...workflow.matchAll(/^ +- triple: (.+)$/gm)].map(([, triple]) => triple);
  expect(built).toEqual(targets.map(({ triple }) => triple));
  expect(napi.targets).toHaveLength(targets.length);
});

it("the_published_package_has_nothing_that_only_a_checkout_needs", async () => {
  const { main } = await stage(join(folder, "published"), join(root, "native"));
  for (const key of ["scripts", "devDependencies", "allowScripts"])
    expect(manifestOf(main)).not.toHaveProperty(key);
  expect(manifestOf(root)).toHaveProperty("devDependencies");
});

function manifestOf(package_: string) {
  return JSON.parse(readFileSync(join(package_, "package.json"), "utf8"));
}
