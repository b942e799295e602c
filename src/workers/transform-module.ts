import { invalid } from "../check.ts";

/** What is allowed where a transform is no function. */
const allowed =
  'a function, the URL of a module (as in `new URL("./transform.js", import.meta.url)`), or the name of a package whose default export is a function';

/**
 * The module of a transform, as `import` takes it from everywhere.
 *
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` for other things, and for paths: what they are relative to is not known here.
 */
export function checkTransformModule(name: string, module: unknown): string {
  if (module instanceof URL) return module.href;
  if (typeof module !== "string" || module === "" || isPath(module)) throw invalid(name, module, allowed);
  return module;
}

function isPath(text: string): boolean {
  return /^(\.{1,2}$|\.{0,2}[/\\]|[A-Za-z]:[/\\])/.test(text);
}
