import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Sandbox } from "./sandbox.ts";

const cargo = join(import.meta.dirname, "..", "..", "scripts", "cargo.ts");
const build = `import { cargo } from ${JSON.stringify(cargo)}; process.exitCode = await cargo(["build"]);`;
const where = `import { targetFolder } from ${JSON.stringify(cargo)}; console.log(targetFolder());`;

/** Runs a build with a fake cargo, and tells the commands that it was given. */
function commandsOf(sandbox: Sandbox, env: NodeJS.ProcessEnv): string[] {
  sandbox.program("bin/cargo", `echo "$1" >> "${sandbox.folder}/cargo.log"`);
  sandbox.write("cargo.log", "");
  expect(sandbox.node(["--input-type=module", "--eval", build], { env }).status).toBe(0);
  return readFileSync(join(sandbox.folder, "cargo.log"), "utf8").trim().split("\n");
}

describe.skipIf(process.platform === "win32")("a target folder that checkouts share", () => {
  it("the_code_of_another_checkout_is_never_taken_for_this_ones", () => {
    using sandbox = new Sandbox();
    const folder = join(sandbox.folder, "shared");
    mkdirSync(join(folder, "release"), { recursive: true });
    const env = { CARGO_TARGET_DIR: folder };
    expect(commandsOf(sandbox, env), "a folder that nobody claimed").toEqual(["clean", "build"]);
    expect(commandsOf(sandbox, env), "the same checkout again").toEqual(["build"]);
    const [, digest] = readFileSync(join(folder, "lance-loader.checkout"), "utf8").split("\n");
    sandbox.write("shared/lance-loader.checkout", `/another/checkout\n${digest}`);
    expect(commandsOf(sandbox, env), "another checkout with the same code").toEqual(["build"]);
    sandbox.write("shared/lance-loader.checkout", "/another/checkout\nother code");
    expect(commandsOf(sandbox, env), "another checkout with other code").toEqual(["clean", "build"]);
  });

  it("an_empty_folder_is_claimed_without_cleaning", () => {
    using sandbox = new Sandbox();
    expect(commandsOf(sandbox, { CARGO_TARGET_DIR: join(sandbox.folder, "new") })).toEqual(["build"]);
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
