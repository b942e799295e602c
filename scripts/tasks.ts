// Every npm task, with the set-up that it needs: `node scripts/tasks.ts <task> [arguments]`, called by run.mjs.
import { audit } from "./audit.ts";
import { biome, clippy, rustfmt, rustTests, typeScriptTests, types } from "./checks.ts";
import { node } from "./node.ts";
import { exitWith, Failure } from "./process.mjs";
import { reference } from "./reference.ts";
import { ensureAddon } from "./setup/addon.ts";
import { ensureDist } from "./setup/dist.ts";
import { ensureTools } from "./setup/tools.ts";
import { deadCode, packageShape } from "./shape.ts";
import { smoke } from "./smoke.ts";
import { closingLine, sum, type Tally } from "./tally.ts";

type Task = (args: readonly string[]) => Promise<number>;

const tasks: Record<string, Task> = {
  setup: ready,
  build: ready,
  quickstart: async (args) => (await ready()) || node(["examples/quickstart/main.ts", ...args]),
  bench: async (args) => (await ready()) || node(["benchmarks/run.ts", ...args]),
  check: async () => {
    await ensureAddon();
    return close([await types()]);
  },
  lint: async () => {
    await ensureTools();
    return close([await biome(false), await deadCode(), await rustfmt(false), await clippy()]);
  },
  format: async () => close([await biome(true), await rustfmt(true)]),
  "test:rust": async (args) => {
    await ensureTools();
    return close([await rustTests(args)]);
  },
  "test:ts": async (args) => (await ready()) || close([await typeScriptTests(args)]),
  test: async () => {
    await ready();
    // The cheap checks first, then what must be compiled.
    const tallies = [
      await biome(false),
      await deadCode(),
      ...(await packageShape()),
      await rustfmt(false),
      await types(),
      await rustTests([]),
      await clippy(),
    ];
    return close([...tallies, await typeScriptTests([])]);
  },
  audit: async () => close(await audit()),
  docs: async () => {
    await ensureAddon();
    return close([await reference()]);
  },
  smoke: async () => (await ready()) || close(await smoke()),
};

await exitWith(async () => {
  const [name = "", ...args] = process.argv.slice(2);
  const task = tasks[name];
  if (task === undefined) {
    throw new Failure(`there is no task "${name}". There are: ${Object.keys(tasks).join(", ")}.`);
  }
  return task(args);
});

async function ready(): Promise<number> {
  await ensureAddon();
  await ensureDist();
  return 0;
}

/** Ends a task with the one line that tells its result. */
function close(tallies: readonly Tally[]): number {
  const total = sum(tallies);
  process.stdout.write(`${closingLine(total)}\n`);
  return total.failed === 0 ? 0 : 1;
}
