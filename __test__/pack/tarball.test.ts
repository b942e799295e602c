import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addonFile, currentHost, tripleOf } from "../../src/platform.ts";
import { root } from "../support/snippets.ts";
import { npm, type Packed, pack } from "./support/packed.ts";

const folder = mkdtempSync(join(tmpdir(), "lance-loader-pack-"));
const project = join(folder, "project");
const program = `
  const dataset = await StreamingDataset.open(process.argv[2], { shuffle: false });
  const seen = [];
  for await (const batch of dataset.batches(4)) seen.push(...batch.column("id"));
  await dataset.close();
  console.log(JSON.stringify(seen));
`;
let packed: Packed;

beforeAll(async () => {
  packed = await pack();
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "user", private: true }));
  npm(project, "install", "--ignore-scripts", "--no-audit", "--no-fund", packed.main, packed.platform);
  const transform = "export default (batch) => Array.from(batch.column('id'), (id) => Number(id) + 1);";
  writeFileSync(join(project, "transform.mjs"), transform);
  const augment = join(project, "node_modules", "augment");
  mkdirSync(augment);
  writeFileSync(
    join(augment, "package.json"),
    JSON.stringify({ name: "augment", exports: { import: "./index.mjs" } }),
  );
  writeFileSync(join(augment, "index.mjs"), transform);
  const rows = Array.from({ length: 10 }, (_, id) => ({ id }));
  await (await connect(folder)).createTable("rows", rows);
}, 300_000);

afterAll(() => {
  packed?.[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe("the installed tarball", () => {
  it("has_what_a_user_needs_and_nothing_else", () => {
    const { main, platform } = packed.files;
    expect(main).toEqual(
      expect.arrayContaining([
        "dist/index.js",
        "dist/index.d.ts",
        "package.json",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
      ]),
    );
    const expected = /^(dist\/.+\.(js|d\.ts|js\.map)|native\/index\.d\.ts|[A-Z]+(\.md)?|package\.json)$/;
    expect(main.filter((path) => !expected.test(path))).toEqual([]);
    expect(platform).toEqual(["LICENSE", "README.md", addonFile(tripleOf(currentHost)), "package.json"]);
  });

  it("brings_no_packages_but_its_peers", () => {
    const names = readdirSync(join(project, "node_modules"));
    expect(names).toEqual(expect.arrayContaining(["lance-loader", "apache-arrow"]));
    expect(names).not.toContain("@lancedb");
  });

  it("is_imported_as_an_es_module", () => {
    expect(run("program.mjs", `import { StreamingDataset } from "lance-loader";${program}`)).toEqual(tenIds);
  });

  it("is_required_from_commonjs", () => {
    const text = `const { StreamingDataset } = require("lance-loader");(async () => {${program}})();`;
    expect(run("program.cjs", text)).toEqual(tenIds);
  });

  it.each([
    [
      "program.mjs",
      'import { toReadable } from "lance-loader/streams"; import { StreamingDataset } from "lance-loader";',
    ],
    [
      "program.cjs",
      'const { toReadable } = require("lance-loader/streams"); const { StreamingDataset } = require("lance-loader");',
    ],
  ])("has_streams_for_%s", (name, head) => {
    const text = `${head}
      (async () => {
        const dataset = await StreamingDataset.open(process.argv[2], { shuffle: false });
        const seen = [];
        for await (const { id } of toReadable(dataset)) seen.push(Number(id));
        console.log(JSON.stringify(seen));
      })();`;
    expect(run(name, text)).toEqual(tenIds);
  });

  it.each([
    ["program.mjs", 'await import("lance-loader/tfjs").catch(({ code, message }) => tell(code, message));'],
    [
      "program.cjs",
      'try { require("lance-loader/tfjs"); } catch ({ code, message }) { tell(code, message); }',
    ],
  ])("names_the_package_that_an_adapter_of_%s_lacks", (name, load) => {
    const tell = "const tell = (code, message) => console.log(JSON.stringify([code, message]));";
    const [code, message] = run(name, `${tell}\n${load}`) as [string, string];
    expect(code).toMatch(/^(ERR_)?MODULE_NOT_FOUND$/);
    expect(message).toContain("@tensorflow/tfjs");
  });

  describe.each([
    ["an ES module", "program.mjs", 'import { StreamingDataset } from "lance-loader";'],
    ["a CommonJS module", "program.cjs", 'const { StreamingDataset } = require("lance-loader");'],
  ])("in %s", (_, name, head) => {
    it.each([
      ["file", "new URL('transform.mjs', base)"],
      ["package", "'augment'"],
    ])("runs_the_transform_of_a_%s_in_worker_threads", (_, transform) => {
      const text = `${head}
        const base = process.getBuiltinModule("node:url").pathToFileURL(process.cwd() + "/");
        (async () => {
          const dataset = await StreamingDataset.open(process.argv[2], { shuffle: false, transform: ${transform} });
          const seen = [];
          for await (const outputs of dataset.batches(4)) seen.push(...outputs);
          console.log(JSON.stringify(seen));
        })();`;
      expect(run(name, text)).toEqual(tenIds.map((id) => id + 1));
    });
  });

  it("declares_types_that_a_strict_program_compiles_against", () => {
    const text = `import { type Batch, StreamingDataset } from "lance-loader";
      import { toReadable, toReadableStream } from "lance-loader/streams";
      const dataset: StreamingDataset = await StreamingDataset.open("table");
      const count: number = dataset.numSamples;
      const web: ReadableStream<Batch> = toReadableStream(dataset.batches(4));
      const chunk: Batch | null = toReadable(dataset.batches(4)).read();
      // @ts-expect-error: a number has no such method
      count.nonsense();`;
    writeFileSync(join(project, "program.mts"), text);
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", ...types];
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, "program.mts"], {
      cwd: project,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });
});

const tenIds = Array.from({ length: 10 }, (_, id) => id);

/** Runs a program inside the user's project and reads the JSON that it prints. */
function run(name: string, text: string): unknown {
  writeFileSync(join(project, name), text);
  const table = join(folder, "rows.lance");
  const output = execFileSync(process.execPath, [name, table], { cwd: project, encoding: "utf8" });
  return JSON.parse(output);
}
