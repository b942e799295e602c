import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRustAtLeast } from "../../scripts/setup/tools.ts";
import { Sandbox } from "./sandbox.ts";

const tasks = join(import.meta.dirname, "..", "..", "scripts", "tasks.ts");

describe.skipIf(process.platform === "win32")(
  "what can't be set up is said in one line with the cure",
  () => {
    it.each([
      ["no Rust", {}, "Rust is missing. Install Rust 1."],
      [
        "old Rust",
        { rustc: "rustc 1.80.1 (3f5fd8dd4 2024-08-06)" },
        "rustc 1.80.1 (3f5fd8dd4 2024-08-06) is too old: 1.",
      ],
      [
        "no compiler",
        { rustc: "rustc 9.0.0" },
        "A C compiler (cc) is missing. Install one: `apt-get install build-essential`",
      ],
      [
        "no protoc",
        { rustc: "rustc 9.0.0", cc: "cc 12" },
        "protoc is missing. Install it: `apt-get install protobuf-compiler",
      ],
    ])("%s", (_, programs, message) => {
      using sandbox = new Sandbox();
      for (const [name, answer] of Object.entries(programs))
        sandbox.program(`bin/${name}`, `echo '${answer}'`);
      const { status, stdout, stderr } = sandbox.node([tasks, "setup"]);
      expect(stderr).toContain(`lance-loader: ${message}`);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(stdout).toBe("");
      expect(status).toBe(1);
    });

    it("a task that does not exist", () => {
      using sandbox = new Sandbox();
      const { status, stderr } = sandbox.node([tasks, "tset"]);
      expect(stderr).toMatch(/^lance-loader: there is no task "tset"\. There are: .*\btest\b.*\.\n$/);
      expect(status).toBe(1);
    });
  },
);

it("versions_of_rust_are_compared_as_numbers", () => {
  expect(isRustAtLeast("rustc 1.94.0 (4a4ef493e 2026-03-02)", "1.94")).toBe(true);
  expect(isRustAtLeast("rustc 1.100.0-nightly", "1.94")).toBe(true);
  expect(isRustAtLeast("rustc 2.0.0", "1.94")).toBe(true);
  expect(isRustAtLeast("rustc 1.93.9", "1.94")).toBe(false);
  expect(isRustAtLeast("rustc 1.9.0", "1.94")).toBe(false);
  expect(isRustAtLeast("not a version", "1.94")).toBe(false);
});
