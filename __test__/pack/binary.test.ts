import { execFileSync, spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addonFile, currentHost, libcOf, tripleOf } from "../../src/platform.ts";
import { root } from "../support/snippets.ts";

const addon = join(root, "native", addonFile(tripleOf(currentHost)));
const canRead =
  process.platform === "linux" &&
  libcOf(currentHost) === "glibc" &&
  spawnSync("readelf", ["--version"]).status === 0;

/** The oldest glibc that published addons for glibc run on, as the README says. */
const floor = "2.35";

/** What every Linux with glibc has. */
const base = /^(libc\.so\.6|libm\.so\.6|libgcc_s\.so\.1|libpthread\.so\.0|libdl\.so\.2|ld-linux.*\.so\.\d)$/;

describe.runIf(canRead)("the addon for glibc", () => {
  it("needs_no_newer_glibc_than_the_readme_says", () => {
    expect(newest(versionsIn(readelf("--version-info", addon)))).toBe(floor);
  });

  it("needs_only_libraries_of_the_base_system", () => {
    const needed = neededIn(readelf("--dynamic", addon));
    expect(needed).toContain("libc.so.6");
    expect(needed.filter((library) => !base.test(library))).toEqual([]);
  });

  it("has_no_symbols_but_those_that_node_needs_and_no_debugging_information", () => {
    const sections = readelf("--section-headers", "--wide", addon);
    expect(sections).toContain(".dynsym");
    expect(sections).not.toMatch(/\.symtab|\.debug_/);
  });

  it("is_small_enough", () => {
    expect(statSync(addon).size).toBeLessThan(165_000_000);
  });
});

it("a_newer_glibc_and_another_library_would_be_seen", () => {
  expect(newest(["2.9", "2.35", "2.4"])).toBe("2.35");
  expect(newest(versionsIn("  0x0020:   Name: GLIBC_2.38  Flags: none\n  0x0030:   Name: GLIBC_2.4"))).toBe(
    "2.38",
  );
  const dynamic = " 0x0001 (NEEDED)  Shared library: [libssl.so.3]\n 0x000e (SONAME) Library soname: [x.so]";
  expect(neededIn(dynamic)).toEqual(["libssl.so.3"]);
  expect(base.test("libssl.so.3")).toBe(false);
});

function readelf(...args: string[]): string {
  return execFileSync("readelf", args, { encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });
}

function versionsIn(told: string): string[] {
  return [...told.matchAll(/Name: GLIBC_([\d.]+)/g)].map(([, version = ""]) => version);
}

function neededIn(told: string): string[] {
  return [...told.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, library = ""]) => library);
}

/** The newest of versions like 2.35. */
function newest(versions: readonly string[]): string | undefined {
  const minor = (version: string) => Number(version.split(".")[1]);
  return versions.toSorted((left, right) => minor(left) - minor(right)).at(-1);
}
