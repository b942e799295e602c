import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");

it("the_package_and_the_crates_have_one_version", () => {
  const { version } = JSON.parse(read("package.json"));
  expect(JSON.parse(read("package-lock.json")).version).toBe(version);
  expect(/^\[workspace\.package\]\nversion = "(.+)"$/m.exec(read("Cargo.toml"))?.[1]).toBe(version);
});

it("the_addon_and_the_rust_tests_share_one_build_of_every_dependency", () => {
  expect(unitsOf(root, "-p", "lance-loader-node").size).toBeGreaterThan(100);
  expect(unsharedUnits(root, "lance-loader-node")).toEqual([]);
});

it("a_feature_that_only_tests_switch_on_is_found", () => {
  const workspace = mkdtempSync(join(tmpdir(), "lance-loader-workspace-"));
  try {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    };
    const manifest = (name: string) => `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2024"\n`;
    write("Cargo.toml", '[workspace]\nresolver = "3"\nmembers = ["addon"]\nexclude = ["heavy"]\n');
    write("heavy/Cargo.toml", `${manifest("heavy")}[features]\nextra = []\n`);
    write("heavy/src/lib.rs", "");
    write("addon/src/lib.rs", "");
    const addon = `${manifest("addon")}[dependencies]\nheavy = { path = "../heavy" }\n`;
    write("addon/Cargo.toml", addon);
    expect(unsharedUnits(workspace, "addon")).toEqual([]);
    write(
      "addon/Cargo.toml",
      `${addon}[dev-dependencies]\nheavy = { path = "../heavy", features = ["extra"] }\n`,
    );
    expect(unsharedUnits(workspace, "addon")).toEqual([expect.stringContaining("heavy v0.1.0")]);
  } finally {
    rmSync(workspace, { recursive: true });
  }
});

/** What would be compiled once for the addon and once more, with other features, for the tests of the workspace. */
function unsharedUnits(folder: string, addon: string): string[] {
  const forTests = unitsOf(folder, "--workspace", "-e", "dev");
  return [...unitsOf(folder, "-p", addon)].filter((unit) => !forTests.has(unit));
}

/** Every package with its features, as cargo would build it. */
function unitsOf(folder: string, ...selection: string[]): Set<string> {
  const args = [
    "tree",
    "--offline",
    "--prefix=none",
    "--format={p} [{f}]",
    "-e",
    "normal,build",
    ...selection,
  ];
  const tree = execFileSync("cargo", args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return new Set(tree.split("\n").map((line) => line.replace(/ \(\*\)$/, "")));
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
