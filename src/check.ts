import { LanceLoaderError } from "./errors.ts";

/**
 * The error for an argument with a value that is not allowed.
 *
 * @param allowed - what is allowed, as the end of the sentence "it must be …".
 */
export function invalid(argument: string, value: unknown, allowed: string): LanceLoaderError {
  return new LanceLoaderError("INVALID_ARGUMENT", `${argument} is ${show(value)}: it must be ${allowed}.`);
}

/** A whole number from `min` to `max` (2^53 - 1 by default). */
export function checkInteger(
  argument: string,
  value: unknown,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw invalid(argument, value, `a whole number ${range}`);
  }
  return value;
}

/** A boolean. */
export function checkBoolean(argument: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw invalid(argument, value, "true or false");
  return value;
}

/** One of several strings. */
export function checkChoice<Choice extends string>(
  argument: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw invalid(argument, value, `one of ${choices.map(show).join(", ")}`);
  return found;
}

/** A string that is not empty. */
export function checkString(argument: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw invalid(argument, value, "a string that is not empty");
  return value;
}

/** A function. */
export function checkFunction<F>(argument: string, value: F): F {
  if (typeof value !== "function") throw invalid(argument, value, "a function");
  return value;
}

/** A signal that ends work. */
export function checkSignal(signal: AbortSignal): AbortSignal {
  if (!(signal instanceof AbortSignal)) throw invalid("signal", signal, "an AbortSignal");
  return signal;
}

/** A plain object of options whose keys are all known. */
export function checkOptions(argument: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(argument, value, "an object of options");
  for (const key of Object.keys(value)) {
    if (!known.includes(key))
      throw new LanceLoaderError(
        "INVALID_ARGUMENT",
        `${argument} has no option ${show(key)}. Its options are ${known.join(", ")}.`,
      );
  }
}

/** A value as an error message shows it: short, and never throwing. */
export function show(value: unknown): string {
  if (typeof value === "string")
    return value.length > 80 ? `"${value.slice(0, 80)}…"` : JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value))
    return value.length > 8 ? `a list of ${value.length}` : `[${value.map(show).join(", ")}]`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}
