import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Field, FixedSizeList, Table, Uint8, vectorFromArray } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { known } from "../support/known.ts";
import { snippetsOf } from "../support/snippets.ts";
import { range, writeTable } from "../support/tables.ts";
import { npm, type Packed, pack } from "./support/packed.ts";
import { hasRuntimes, installRuntimes, type Runtimes } from "./support/runtimes.ts";

const folder = mkdtempSync(join(tmpdir(), "lance-loader-installed-"));
const rows = 100;
let packed: Packed;
let runtimes: Runtimes;

/** How a project gets its packages, without any script being run and without anything that is built. */
const installs: Record<string, (project: string) => void> = {
  npm: (project) => npm(project, "install", "--ignore-scripts", "--no-audit", "--no-fund"),
  pnpm: (project) =>
    manage(
      project,
      runtimes.managers.pnpm,
      "install",
      "--ignore-scripts",
      "--store-dir",
      join(folder, "pnpm-store"),
    ),
  yarn: (project) =>
    manage(
      project,
      runtimes.managers.yarn,
      "install",
      "--ignore-scripts",
      "--non-interactive",
      "--cache-folder",
      join(folder, "yarn-cache"),
    ),
};

/** The first example of the README as a program, with what it leaves to the reader. */
const example = known(snippetsOf("README.md")[0]).code;
const given = `
  let seen = 0;
  let saved = "";
  function train(data, shape, labels) {
    if (data.length !== shape[0] * shape[1] || labels.length !== shape[0]) throw new Error("a wrong shape");
    seen += shape[0];
  }
  function save(text) { saved = text; }`;
const told = "console.log(seen, JSON.parse(saved).epoch, dataset.epoch);";

/** The same as an ES module and as a CommonJS module. */
const forms: Record<string, string> = {
  "example.mjs": `${given}\n${example}\n${told}`,
  "example.cjs": `${given}\n${requiring(example, `${told}\n`)}`,
};

beforeAll(async () => {
  if (!hasRuntimes) return;
  runtimes = await installRuntimes();
  packed = await pack();
  for (const [manager, install] of Object.entries(installs)) {
    const project = join(folder, manager);
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify(manifest()));
    install(project);
    for (const [name, text] of Object.entries(forms)) writeFileSync(join(project, name), text);
    await writeTable(join(project, "data"), "train", [digits()]);
  }
}, 600_000);

afterAll(() => {
  packed?.[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(hasRuntimes)("the packed package, installed without scripts", () => {
  describe.each(Object.keys(installs))("by %s", (manager) => {
    it("is_there_with_the_addon_of_this_platform_and_no_other", () => {
      const found = readdirSync(join(folder, manager, "node_modules"), { recursive: true, encoding: "utf8" });
      const addons = new Set(found.filter((path) => path.endsWith(".node")).map((path) => basename(path)));
      expect([...addons]).toEqual(["lance-loader.linux-x64-gnu.node"]);
    });

    it.each(
      Object.keys(forms).flatMap((form) =>
        (["Node.js 22", "Node.js 24", "Node.js 26"] as const).map((node) => [form, node] as const),
      ),
    )("runs_the_first_%s_of_the_readme_under_%s", (form, node) => {
      expect(run(manager, runtimes.programs[node], [form])).toBe(`${5 * rows} 4 5\n`);
    });

    it("has_the_command_which_tells_the_rows_of_a_table", () => {
      const program = join("node_modules", "lance-loader", "dist", "command", "main.js");
      const linked = readdirSync(join(folder, manager, "node_modules", ".bin"));
      expect(linked).toContain("lance-loader");
      const told = run(manager, runtimes.programs["Node.js 22"], [
        program,
        "inspect",
        "data/train.lance",
        "--json",
      ]);
      expect(JSON.parse(told)).toMatchObject({ rows });
    });
  });

  it.each([
    ["Bun", []],
    ["Deno", ["run", "--allow-all"]],
  ] as const)("runs_the_first_example_of_the_readme_under_%s", (program, args) => {
    expect(run("npm", runtimes.programs[program], [...args, "example.mjs"])).toBe(`${5 * rows} 4 5\n`);
  });
});

/** A project that takes the packages from the tarballs, the platform's in the place of the one that a registry would have. */
function manifest() {
  const platform = { "lance-loader-linux-x64-gnu": `file:${packed.platform}` };
  return {
    name: "user",
    version: "1.0.0",
    private: true,
    dependencies: { "apache-arrow": "18.1.0", "lance-loader": `file:${packed.main}` },
    overrides: platform,
    pnpm: { overrides: platform },
    resolutions: platform,
  };
}

/** A snippet of an ES module as a CommonJS program. */
function requiring(text: string, end: string): string {
  const body = text.replace(/^import (\{.*\}) from (".*");$/gm, "const $1 = require($2);");
  return `(async () => {\n${body}\n${end}})();`;
}

function digits(): Table {
  const pixels = Array.from({ length: 784 }, (_, pixel) => pixel % 256);
  const image = new FixedSizeList(784, new Field("item", new Uint8(), false));
  return new Table({
    image: vectorFromArray(
      range(0, rows).map(() => pixels),
      image,
    ),
    label: vectorFromArray(Int32Array.from(range(0, rows), (row) => row % 10)),
  });
}

function manage(project: string, script: string, ...args: string[]): void {
  execFileSync(process.execPath, [script, ...args], {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
    // Yarn and pnpm start `node` by its name.
    env: { ...process.env, PATH: `${join(process.execPath, "..")}:${process.env["PATH"]}` },
  });
}

function run(manager: string, program: string, args: readonly string[]): string {
  return execFileSync(program, args, { cwd: join(folder, manager), encoding: "utf8" });
}
