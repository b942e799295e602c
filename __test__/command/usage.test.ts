import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { command, failure, json, run } from "./support/command.ts";

const folder = tempFolder();
const missing = join(folder, "missing.lance");
const subcommands = ["inspect", "permute", "preview", "check", "bench", "state", "report", "simulate"];
let table = "";

beforeAll(async () => {
  table = await writeIds(folder, "ids", 20_000, { fragments: 2 });
});

describe("the command", () => {
  it("lists_its_subcommands_and_exit_codes_and_those_without_one_are_an_error", async () => {
    const { code, lines, errors } = await run(["--help"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const text = lines.join("\n");
    for (const name of subcommands) expect(text).toContain(`\n  ${name} `);
    for (const exitCode of [0, 1, 2, 3, 70, 130]) expect(text).toMatch(new RegExp(`\\n +${exitCode} `));
    const bare = await run([]);
    expect(bare).toMatchObject({ code: 2, lines: [] });
    expect(bare.errors).toContain("Usage: lance-loader");
  });

  it("tells_the_version_of_the_package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await run(["--version"])).toMatchObject({ code: 0, lines: [version], errors: "" });
  });

  it.each(subcommands)("explains_%s_with_an_example", async (name) => {
    const { code, lines, errors } = await run([name, "--help"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(lines[0]).toMatch(new RegExp(`^Usage: lance-loader ${name} `));
    expect(lines.some((line) => line.includes("--json"))).toBe(true);
    if (name !== "state")
      expect(lines.some((line) => line.startsWith(`  $ lance-loader ${name} `))).toBe(true);
  });

  it.each([
    ["an_unknown_subcommand", ["inspekt"], "inspect"],
    ["an_unknown_option", ["inspect", "t.lance", "--colums", "id"], "--columns"],
    ["a_missing_table", ["inspect"], "table"],
    ["too_many_tables", ["inspect", "one.lance", "two.lance"], "arguments"],
    ["a_wrong_number", ["preview", "t.lance", "--rows", "few"], "--rows"],
    ["a_wrong_choice", ["check", "t.lance", "--fetch", "magic"], "scratch"],
    ["a_wrong_size", ["inspect", "t.lance", "--memory-budget", "1 pound"], "64MiB"],
    ["a_wrong_seed", ["preview", "t.lance", "--seed", "18446744073709551616"], "2^64"],
    ["a_wrong_way", ["bench", "t.lance", "--ways", "take,teleport"], "memory"],
  ])("refuses_%s_and_names_the_way_out", async (_, args, named) => {
    expect(await failure(args, 2, "USAGE")).toContain(named);
  });

  it.each([
    ["inspect", []],
    ["preview", []],
    ["check", []],
    ["bench", []],
    ["report", []],
    ["permute", ["--name", "p", "--fixed", "2"]],
  ])("says_in_%s_that_a_table_is_not_there", async (name, more) => {
    expect(await failure([name, missing, ...more], 3, "TABLE_NOT_FOUND")).toContain(missing);
  });

  it.each([
    ["a_column", ["check", "--columns", "idd"], "UNKNOWN_COLUMN"],
    ["a_filter", ["preview", "--filter", "id >"], "INVALID_FILTER"],
    ["a_number_of_splits", ["preview", "--num-splits", "30000"], "TOO_FEW_ROWS"],
    ["a_rank", ["preview", "--rank", "2", "--world-size", "2"], "INVALID_ARGUMENT"],
    ["a_transform", ["check", "--transform", "./nowhere.js"], "INVALID_ARGUMENT"],
  ])("refuses_%s_that_does_not_fit_as_the_library_does", async (_, [name = "", ...args], code) => {
    await failure([name, table, ...args], 2, code);
  });

  it("opens_the_version_that_is_asked_for", async () => {
    const first = await json<{ rows: number }>(["inspect", table, "--version-of-table", "1"]);
    expect(first.rows).toBe(10_000);
    await failure(["inspect", table, "--version-of-table", "9"], 3, "VERSION_NOT_FOUND");
  });

  it("repeats_no_storage_option_which_may_be_a_secret", async () => {
    const message = await failure(["inspect", table, "--storage-option", "hunter2"], 2, "INVALID_ARGUMENT");
    expect(message).not.toContain("hunter2");
    expect(message).toContain("key=value");
    const given = ["--storage-option", "secret_access_key=hunter2", "--storage-option", "region=eu"];
    const { errors } = await run(["inspect", missing, ...given]);
    expect(errors).toContain("TABLE_NOT_FOUND");
    expect(errors).not.toContain("hunter2");
  });

  it("ends_quietly_when_its_reader_has_seen_enough", async () => {
    const args = ["preview", table, "--rows", "20000", "--json"];
    const child = spawn(process.execPath, [fileURLToPath(command), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await once(child, "close")).toEqual([0, null]);
    expect(errors).toBe("");
  });

  it("ends_at_once_with_130_when_it_is_interrupted", async () => {
    const transform = join(folder, "endless.mjs");
    const text =
      "export default () => { console.log('begun'); return new Promise(() => setInterval(() => {}, 1000)); };";
    writeFileSync(transform, text);
    const ended = await run(["check", table, "--transform", transform], {
      // Another batch may begin meanwhile; a second interrupt would end the process without a word.
      onLine: (_, child) => child.killed || child.kill("SIGINT"),
    });
    expect(ended.code).toBe(130);
    expect(ended.errors).toMatch(/^lance-loader: ABORTED: [^\n]+\n$/);
  });
});

describe("completion", () => {
  it.each(["bash", "zsh", "fish", "powershell"])("prints_a_script_for_%s", async (shell) => {
    const { code, lines, errors } = await run(["completion", shell]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(lines.join("\n")).toContain("lance-loader complete");
  });

  it.each([
    [["insp"], "inspect"],
    [["state", ""], "merge"],
    [["check", "--memory"], "--memory-budget"],
    [["check", "--fetch", ""], "scratch"],
  ])("completes_%j", async (words, expected) => {
    const { code, lines } = await run(["complete", "--", ...words]);
    expect(code).toBe(0);
    expect(lines.map((line) => line.split("\t", 1)[0])).toContain(expected);
  });

  it("refuses_a_shell_that_it_does_not_know", async () => {
    await failure(["completion", "command.com"], 2, "USAGE");
  });
});
