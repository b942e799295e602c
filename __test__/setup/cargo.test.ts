import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Sandbox } from "./sandbox.ts";

const cargo = join(import.meta.dirname, "..", "..", "scripts", "cargo.ts");
const build = `import { cargo } from ${JSON.stringify(cargo)}; process.exitCode = await cargo(["build"]);`;
const where = `import { targetFolder } from ${JSON.stringify(cargo)}; console.log(targetFolder());`;

const own = "release/.fingerprint/lance-loader-order-01";
const dependency = "release/.fingerprint/permutation-02";

/** Runs a build with a fake cargo in a target folder that has crates, and tells which of them cargo still takes for built. */
function builtAfter(sandbox: Sandbox, env: NodeJS.ProcessEnv): string[] {
  sandbox.program("bin/cargo", "");
  for (const crate of [own, dependency]) sandbox.write(`shared/${crate}/lib`, "");
  expect(sandbox.node(["--input-type=module", "--eval", build], { env }).status).toBe(0);
  return [own, dependency].filter((crate) => existsSync(join(sandbox.folder, "shared", crate)));
}

describe.skipIf(process.platform === "win32")("a target folder that checkouts share", () => {
  it("the_code_of_another_checkout_is_never_taken_for_this_ones_and_no_dependency_is_built_again", () => {
    using sandbox = new Sandbox();
    const folder = join(sandbox.folder, "shared");
    const env = { CARGO_TARGET_DIR: folder };
    expect(builtAfter(sandbox, env), "a folder that nobody claimed").toEqual([dependency]);
    expect(builtAfter(sandbox, env), "the same checkout again").toEqual([own, dependency]);
    const [, digest] = readFileSync(join(folder, "lance-loader.checkout"), "utf8").split("\n");
    sandbox.write("shared/lance-loader.checkout", `/another/checkout\n${digest}`);
    expect(builtAfter(sandbox, env), "another checkout with the same code").toEqual([own, dependency]);
    sandbox.write("shared/lance-loader.checkout", "/another/checkout\nother code");
    expect(builtAfter(sandbox, env), "another checkout with other code").toEqual([dependency]);
  });
});

describe.skipIf(process.platform === "win32")("the target folder", () => {
  it.each([
    ["inside_the_checkout_by_default", {}, join(cargo, "..", "..", "target")],
    ["in_the_cache_in_ci", { CI: "true", XDG_CACHE_HOME: "/cache" }, "/cache/lance-loader/target"],
    ["in_the_home_cache_in_ci", { CI: "true", HOME: "/home/me" }, "/home/me/.cache/lance-loader/target"],
    ["where_the_user_says", { CI: "true", CARGO_TARGET_DIR: "/mine" }, "/mine"],
  ])("is_%s", (_, env, expected) => {
    using sandbox = new Sandbox();
    expect(sandbox.node(["--input-type=module", "--eval", where], { env }).stdout.trim()).toBe(expected);
  });
});
