#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { program } from "./program.ts";
import { exitCodes } from "./terminal/exit-code.ts";
import { failureOf } from "./terminal/failure.ts";
import { Output } from "./terminal/output.ts";

// Who closes the pipe (`| head`) has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.done);
});

try {
  await program(version()).parseAsync();
} catch (error) {
  const failure = failureOf(error);
  // Help and the version were printed; help where a subcommand is missing is an error all the same.
  const isPrinted =
    error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help");
  if (!isPrinted) new Output(process.argv.includes("--json")).failure(failure);
  process.exitCode = isPrinted && error.exitCode === 0 ? exitCodes.done : failure.exitCode;
}

function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
