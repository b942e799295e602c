import { expect } from "vitest";
import { type Ended, type RunOptions, runChild } from "../../process/support/child.ts";

/** The command as it is installed: the built one. */
export const command = new URL("../../../dist/command/main.js", import.meta.url);

/** Runs the command to its end. On a slow machine it may tell its progress meanwhile: those lines are left out. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const ended = await runChild(command, args, options);
  return { ...ended, errors: ended.errors.replaceAll(/^[\w, ]+: [\d,]+ of [\d,]+ [\w-]+\n/gm, "") };
}

/** Runs the command with `--json`, which must end with `code` and print one JSON value and nothing beside it. */
export async function json<Result>(args: readonly string[], code = 0): Promise<Result> {
  const ended = await run([...args, "--json"]);
  expect(ended).toMatchObject({ code, errors: "" });
  return JSON.parse(ended.lines.join("\n")) as Result;
}

/** Runs the command, which must fail with an exit code and tell an error code, in words and as JSON, and no stack. */
export async function failure(args: readonly string[], exitCode: number, code: string): Promise<string> {
  const ended = await run(args);
  expect(ended).toMatchObject({ code: exitCode, lines: [] });
  expect(ended.errors).toMatch(new RegExp(`^lance-loader: ${code}: [^\\n]+\\n$`));
  const asJson = await run([...args, "--json"]);
  expect(asJson).toMatchObject({ code: exitCode, lines: [] });
  const { error } = JSON.parse(asJson.errors);
  expect(error.code).toBe(code);
  expect(ended.errors).toBe(`lance-loader: ${code}: ${error.message}\n`);
  return error.message;
}
