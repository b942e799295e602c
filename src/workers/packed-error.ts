import { type ErrorCode, errorCodes, LanceLoaderError } from "../errors.ts";

/** Something that was thrown, in a form that crosses threads: errors lose their class and properties in a structured clone. */
export type PackedError =
  | {
      readonly kind: "error";
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      readonly code: unknown;
      readonly cause: PackedError | undefined;
    }
  | { readonly kind: "value"; readonly value: unknown };

/** How many causes of an error cross. */
const maxCauses = 8;

/** Packs what was thrown, whatever it is. */
export function packError(thrown: unknown, causes = maxCauses): PackedError {
  if (!(thrown instanceof Error)) return { kind: "value", value: isPlain(thrown) ? thrown : String(thrown) };
  const { name, message, stack, cause } = thrown;
  const { code } = thrown as { code?: unknown };
  return {
    kind: "error",
    name: String(name),
    message: String(message),
    stack,
    code: isPlain(code) ? code : undefined,
    cause: cause === undefined || causes === 0 ? undefined : packError(cause, causes - 1),
  };
}

/** What was thrown in the other thread: an error of this library as one, another error as an `Error` of its name and `code`. */
export function unpackError(packed: PackedError): unknown {
  if (packed.kind === "value") return packed.value;
  const { name, message, stack, code, cause } = packed;
  const options = cause && { cause: unpackError(cause) };
  const isOurs = name === "LanceLoaderError" && errorCodes.includes(code as ErrorCode);
  const error = isOurs
    ? new LanceLoaderError(code as ErrorCode, message, options)
    : Object.assign(new Error(message, options), code === undefined ? {} : { code });
  if (!isOurs) Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
  if (stack !== undefined) error.stack = stack;
  return error;
}

function isPlain(value: unknown): boolean {
  return value === null || !["object", "function", "symbol"].includes(typeof value);
}
