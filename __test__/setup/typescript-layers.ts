/** The layers of `src/`, the lowest first: a file imports from its own layer and from lower ones. */
const layers: readonly (readonly string[])[] = [
  ["check", "errors", "nearest"],
  ["platform"],
  ["native"],
  ["topology"],
  ["arrow"],
  ["tables"],
  ["permutation"],
  ["workers"],
  ["streaming"],
  ["index", "adapters"],
  ["command"],
];

/** Sources by their path inside `src/`, with `/`. */
export type Sources = ReadonlyMap<string, string>;

/** Every breach of the rules of the architecture, one line each. */
export function breaches(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const code = withoutComments(text);
    return [...importBreaches(path, code), ...useBreaches(path, code)];
  });
}

function importBreaches(path: string, code: string): string[] {
  return importsOf(code).flatMap((specifier) => {
    if (specifier.startsWith(".")) return relativeBreaches(path, specifier);
    if (specifier.startsWith("@lancedb/") && path !== "tables/remote.ts") {
      return [`${path} imports ${specifier}: only tables/remote.ts may`];
    }
    if (specifier.startsWith("@tensorflow/") && path !== "adapters/tfjs.ts") {
      return [`${path} imports ${specifier}: only adapters/tfjs.ts may`];
    }
    return [];
  });
}

function relativeBreaches(path: string, specifier: string): string[] {
  const target = new URL(specifier, `file:///src/${path}`).pathname;
  if (target.startsWith("/native/"))
    return path === "native.ts" ? [] : [`${path} imports the addon: only native.ts may`];
  const [from, to] = [rankOf(path), rankOf(target.slice("/src/".length))];
  if (from === -1) return [`${path} belongs to no layer`];
  if (to > from || to === -1) return [`${path} imports ${specifier}, which is no lower layer`];
  if (path.startsWith("command/") && !/^\/src\/(command\/|index\.ts$)/.test(target))
    return [`${path} imports ${specifier}: the command uses what index.ts exports`];
  return [];
}

function useBreaches(path: string, code: string): string[] {
  const rules: [pattern: RegExp, what: string, allowed: (path: string) => boolean][] = [
    [
      /\bprocess\.env\b/,
      "reads the environment",
      (file) => file === "topology.ts" || file.startsWith("command/"),
    ],
    [/\bconsole\.|\bprocess\.std(out|err)\b/, "prints", (file) => file.startsWith("command/")],
    [/\bcreateRequire\b|\bprocess\.dlopen\b/, "loads addons", (file) => file === "native.ts"],
  ];
  return rules
    .filter(([pattern, , allowed]) => pattern.test(code) && !allowed(path))
    .map(([, what]) => `${path} ${what}`);
}

function rankOf(path: string): number {
  const name = path.split("/", 1)[0]?.replace(/\.[jt]s$/, "") ?? "";
  return layers.findIndex((names) => names.includes(name));
}

function importsOf(code: string): string[] {
  const found = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g);
  return [...found].map(([, specifier = ""]) => specifier);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}
