import { describe, expect, it } from "vitest";
import { LanceLoaderError } from "../../src/errors.ts";
import { type AddonOpener, loadBinding, openAddon } from "../../src/native.ts";
import { type Host, targets } from "../../src/platform.ts";

const linux = hostOf("linux", "x64");
const local = "/package/native/lance-loader.linux-x64-gnu.node";

function hostOf(platform: string, arch: string): Host {
  return {
    platform,
    arch,
    report: () => ({ header: { glibcVersionRuntime: "2.36" } }),
    readFile: () => undefined,
  };
}

/** An opener over a table of modules; an `Error` among them is thrown, and what isn't there is not found. */
function openerOf(modules: Record<string, unknown>): AddonOpener & { asked: string[] } {
  const asked: string[] = [];
  return {
    folder: "/package/native",
    asked,
    exists: (path) => path.startsWith("/") && path in modules,
    require(id) {
      asked.push(id);
      const found = modules[id];
      if (found instanceof Error) throw found;
      if (found === undefined) throw new Error(`Cannot find module '${id}'\nRequire stack:\n- /package`);
      return found;
    },
  };
}

function failureOf(host: Host, opener: AddonOpener): LanceLoaderError {
  try {
    openAddon(host, opener);
  } catch (error) {
    if (error instanceof LanceLoaderError) return error;
    throw error;
  }
  throw new Error("the addon was opened");
}

describe("opening the addon", () => {
  it("a_local_build_goes_before_the_platform_package", () => {
    const addon = { local: true };
    const opener = openerOf({ [local]: addon, "lance-loader-linux-x64-gnu": {} });
    expect(openAddon(linux, opener)).toBe(addon);
    expect(opener.asked).toEqual([local]);
  });

  it("the_platform_package_serves_where_there_is_no_local_build", () => {
    const addon = { local: false };
    const opener = openerOf({
      "lance-loader-linux-x64-gnu": addon,
      "/package/native/lance-loader.linux-x64-musl.node": {},
    });
    expect(openAddon(linux, opener)).toBe(addon);
  });

  it("a_build_that_does_not_load_is_an_error_with_the_dlopen_error_as_its_cause", () => {
    const cause = new Error("/lib/libc.so.6: version `GLIBC_2.38' not found");
    const error = failureOf(linux, openerOf({ [local]: cause, "lance-loader-linux-x64-gnu": {} }));
    expect(error.code).toBe("UNSUPPORTED_PLATFORM");
    expect(error.cause).toBe(cause);
    expect(error.message).toContain("GLIBC_2.38");
    expect(error.message).toContain(local);
  });

  it("a_missing_package_says_how_to_install_it", () => {
    const error = failureOf(linux, openerOf({}));
    expect(error.message).toContain("Cannot find module 'lance-loader-linux-x64-gnu'.");
    expect(error.message).toContain("Install again on this platform, with optional dependencies");
    expect(error.message).not.toContain("Require stack");
  });

  it("an_unknown_platform_is_an_error_that_lists_the_supported_ones", () => {
    const cause = new Error("Cannot find module 'lance-loader-openbsd-mips'");
    const error = failureOf(hostOf("openbsd", "mips"), openerOf({ "lance-loader-openbsd-mips": cause }));
    expect(error.code).toBe("UNSUPPORTED_PLATFORM");
    expect(error.cause).toBe(cause);
    expect(error.message).toContain("no build of lance-loader for openbsd-mips");
    for (const { triple } of targets) expect(error.message).toContain(triple);
  });

  it("the_addon_of_this_checkout_is_loaded_once", () => {
    const binding = loadBinding();
    expect(Object.keys(binding).length).toBeGreaterThan(0);
    expect(loadBinding()).toBe(binding);
  });
});
