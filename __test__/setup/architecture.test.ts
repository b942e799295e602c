import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { crateBreaches, workspaceCrates } from "./crate-layers.ts";
import { breaches } from "./typescript-layers.ts";

const root = join(import.meta.dirname, "..", "..");

describe("the TypeScript layers", () => {
  it("imports_go_down_and_only_the_named_files_touch_the_outside", () => {
    const paths = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
    const sources = paths
      .filter((path) => path.endsWith(".ts"))
      .map((path): [string, string] => [
        path.replaceAll("\\", "/"),
        readFileSync(join(root, "src", path), "utf8"),
      ]);
    expect(sources.length).toBeGreaterThan(5);
    expect(breaches(new Map(sources))).toEqual([]);
  });

  it.each([
    ["an import from a higher layer", "arrow/batch.ts", 'import { x } from "../streaming/dataset.ts";'],
    ["a type import from a higher layer", "errors.ts", 'import type { x } from "./native.ts";'],
    ["a re-export from a higher layer", "tables/uri.ts", 'export * from "../index.ts";'],
    ["a dynamic import from a higher layer", "native.ts", 'await import("./command/main.ts");'],
    ["a file of no layer", "helpers.ts", 'import { x } from "./errors.ts";'],
    ["the addon outside native.ts", "arrow/batch.ts", 'import type { x } from "../../native/index.js";'],
    ["LanceDB outside remote.ts", "tables/local.ts", 'import type { Table } from "@lancedb/lancedb";'],
    ["TensorFlow.js outside its adapter", "index.ts", 'import { data } from "@tensorflow/tfjs";'],
    ["an adapter in a layer", "streaming/loader.ts", 'import { x } from "../adapters/streams.ts";'],
    ["the environment in a layer", "streaming/options.ts", "const rank = process.env.RANK;"],
    ["printing in a layer", "streaming/dataset.ts", 'console.warn("slow");'],
    ["the inside of the library in the command", "command/check.ts", 'import { x } from "../native.ts";'],
    ["an addon loaded elsewhere", "workers/pool.ts", "createRequire(import.meta.url)"],
  ])("%s_is_found", (_, path, text) => {
    expect(breaches(new Map([[path, text]]))).toHaveLength(1);
  });

  it.each([
    ["an import from a lower layer", "streaming/dataset.ts", 'import { x } from "../arrow/batch.ts";'],
    ["an import inside a layer", "arrow/batch.ts", 'import { x } from "./tensor.ts";'],
    ["the library in the command", "command/check/run.ts", 'import { x } from "../../index.ts";'],
    ["LanceDB in remote.ts", "tables/remote.ts", 'await import("@lancedb/lancedb");'],
    ["the environment in topology.ts", "topology.ts", "process.env.RANK"],
    ["a comment", "arrow/batch.ts", '/** `import { x } from "../index.ts"` */ // console.log(1)'],
  ])("%s_is_allowed", (_, path, text) => {
    expect(breaches(new Map([[path, text]]))).toEqual([]);
  });
});

describe("the Rust crates", () => {
  it("arrows_go_down_and_only_the_named_crates_use_lance_and_napi", () => {
    const crates = workspaceCrates(root);
    expect(crates.map((crate) => crate.name)).toContain("lance-loader-order");
    expect(crates.flatMap(crateBreaches)).toEqual([]);
  });

  it.each([
    ["an arrow that goes up", "order", "lance-loader-permutation", null],
    ["an arrow between neighbours", "packing", "lance-loader-permutation", null],
    ["lance outside its crate", "fetch", "lance-core", null],
    ["lance for tests outside its crate", "fetch", "lance-loader-lance-source", "dev"],
    ["napi outside its crate", "lance-source", "napi", null],
    ["the testkit outside tests", "fetch", "lance-loader-testkit", null],
  ])("%s_is_found", (_, name, dependency, kind) => {
    const crate = { name: `lance-loader-${name}`, dependencies: [{ name: dependency, kind }] };
    expect(crateBreaches(crate)).toHaveLength(1);
  });

  it.each([
    ["the testkit in tests", "fetch", "lance-loader-testkit", "dev"],
    ["an arrow that goes down", "node", "lance-loader-order", null],
    ["lance in its crate", "lance-source", "lance", null],
    ["napi in the addon", "node", "napi-build", "build"],
  ])("%s_is_allowed", (_, name, dependency, kind) => {
    const crate = { name: `lance-loader-${name}`, dependencies: [{ name: dependency, kind }] };
    expect(crateBreaches(crate)).toEqual([]);
  });
});
