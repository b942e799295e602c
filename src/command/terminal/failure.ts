import { CommanderError } from "commander";
import { type ErrorCode, LanceLoaderError } from "../../index.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";

/** Why the command ended early, as it is told. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** Codes of what the caller asked for wrongly. */
const usage: readonly ErrorCode[] = [
  "INVALID_ARGUMENT",
  "UNKNOWN_COLUMN",
  "INVALID_FILTER",
  "TOO_FEW_ROWS",
  "ALREADY_EXISTS",
];

/** What is told of an error: a code and one line, and never a stack. */
export function failureOf(error: unknown): Failure {
  const failure = told(error);
  return { ...failure, message: failure.message.replaceAll(/\s*\n\s*/g, " ") };
}

function told(error: unknown): Failure {
  if (error instanceof LanceLoaderError) {
    const { code, message } = error;
    const exitCode =
      code === "ABORTED" ? exitCodes.interrupted : usage.includes(code) ? exitCodes.usage : exitCodes.failed;
    return { code, message, exitCode };
  }
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, "");
    return { code: "USAGE", message, exitCode: exitCodes.usage };
  }
  if (error instanceof Error && "syscall" in error && "code" in error)
    return { code: String(error.code), message: error.message, exitCode: exitCodes.failed };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const report = `${message} (a defect of the command: please report it)`;
  return { code: "DEFECT", message: report, exitCode: exitCodes.defect };
}
