import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { Sandbox } from "./sandbox.ts";

const scripts = join(import.meta.dirname, "..", "..", "scripts");
const posix = ["/usr/bin", "/bin"];

/** A checkout with a lockfile, and a fake npm that installs what `installed.json` says and a fake Node. */
function checkout(sandbox: Sandbox, version: string): void {
  mkdirSync(join(sandbox.folder, "scripts"), { recursive: true });
  for (const name of ["run.mjs", "process.mjs"]) {
    copyFileSync(join(scripts, name), join(sandbox.folder, "scripts", name));
  }
  sandbox.write(
    "package-lock.json",
    lockOf(version, { "node_modules/other-platform": { version: "1.0.0", optional: true } }),
  );
  sandbox.write("installed.json", lockOf(version, {}));
  sandbox.program("node24", 'echo "on the new node: $*"');
  sandbox.program(
    "bin/npm",
    'echo "npm $* with $PATH" >> npm.log',
    "mkdir -p node_modules/node/bin",
    "cp installed.json node_modules/.package-lock.json",
    "[ -e ignore-scripts ] || cp node24 node_modules/node/bin/node",
  );
}

function lockOf(version: string, more: object): string {
  return JSON.stringify({ packages: { "": { version: "9" }, "node_modules/a": { version }, ...more } });
}

function npmRuns(sandbox: Sandbox): string[] {
  try {
    return readFileSync(join(sandbox.folder, "npm.log"), "utf8").trim().split("\n");
  } catch {
    return [];
  }
}

describe.skipIf(process.platform === "win32")("the entry of the npm tasks", () => {
  const start = ["scripts/run.mjs", "some-task", "--flag"];

  it("packages_are_installed_once_and_the_task_runs_on_the_installed_node", () => {
    using sandbox = new Sandbox();
    checkout(sandbox, "1.0.0");
    for (const _ of [1, 2]) {
      const { status, stdout } = sandbox.node(start, { path: posix });
      expect(stdout).toMatch(/^on the new node: \/.*\/scripts\/tasks\.ts some-task --flag\n$/);
      expect(status).toBe(0);
    }
    expect(npmRuns(sandbox)).toEqual([expect.stringMatching(/^npm install /)]);
  });

  it("packages_are_installed_again_when_the_lockfile_names_other_ones", () => {
    using sandbox = new Sandbox();
    checkout(sandbox, "1.0.0");
    sandbox.node(start, { path: posix });
    checkout(sandbox, "1.0.1");
    sandbox.node(start, { path: posix });
    sandbox.node(start, { path: posix });
    expect(npmRuns(sandbox)).toHaveLength(2);
  });

  it("npm_does_not_run_on_the_node_that_it_replaces", () => {
    using sandbox = new Sandbox();
    checkout(sandbox, "1.0.0");
    const ours = join(sandbox.folder, "node_modules", ".bin");
    sandbox.node(start, { path: [ours, ...posix] });
    expect(npmRuns(sandbox)[0]).toMatch(/^npm install .* with \//);
    expect(npmRuns(sandbox)[0]).not.toContain(ours);
  });

  it("a_failing_npm_and_switched_off_scripts_are_said_in_one_line", () => {
    using sandbox = new Sandbox();
    checkout(sandbox, "1.0.0");
    sandbox.write("ignore-scripts", "");
    const without = sandbox.node(start, { path: posix });
    expect(without.stderr).toContain(
      "lance-loader: Node 24 was not installed, since npm ran no install scripts",
    );
    expect(without.status).toBe(1);
    rmSync(join(sandbox.folder, "node_modules"), { recursive: true });
    sandbox.program("bin/npm", "exit 3");
    const failing = sandbox.node(start, { path: posix });
    expect(failing.stderr).toMatch(
      /^lance-loader: installing npm packages\nlance-loader: `npm install` failed .*\n$/,
    );
    expect(failing.status).toBe(1);
  });

  it("the_exit_code_of_the_task_is_kept", () => {
    using sandbox = new Sandbox();
    checkout(sandbox, "1.0.0");
    sandbox.program("node24", "exit 7");
    expect(sandbox.node(start, { path: posix }).status).toBe(7);
    sandbox.program("node_modules/node/bin/node", "kill -9 $$");
    expect(sandbox.node(start, { path: posix }).status).toBe(128 + 9);
  });

  it("the_task_ends_with_the_process_that_started_it", async () => {
    using sandbox = new Sandbox();
    checkout(sandbox, "1.0.0");
    sandbox.program("node24", "echo $$ > task.pid", "exec sleep 60");
    const command = `${JSON.stringify(process.execPath)} scripts/run.mjs some-task; true`;
    const env = { PATH: [join(sandbox.folder, "bin"), ...posix].join(":") };
    const shell = spawn("/bin/sh", ["-c", command], { cwd: sandbox.folder, env, stdio: "ignore" });
    const pidFile = join(sandbox.folder, "task.pid");
    const pid = await vi.waitUntil(
      () => existsSync(pidFile) && Number(readFileSync(pidFile, "utf8")),
      20_000,
    );
    expect(isAlive(pid)).toBe(true);
    shell.kill("SIGKILL");
    await vi.waitUntil(() => !isAlive(pid), 20_000);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
