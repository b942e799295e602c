import { fileURLToPath } from "node:url";

const given = fileURLToPath(new URL("./given.ts", import.meta.url));

/** What a snippet becomes: a program, and the files that it names. */
export interface Program {
  readonly files: Readonly<Record<string, string>>;
  readonly program: string;
}

/**
 * A snippet as a program of its own. Names that it neither imports nor declares are given. There is no bucket but the local folder, and no service but
 * a stub of it.
 *
 * A snippet of files has a comment with a file's name before each; the last one is the program.
 */
export function programOf(page: string, snippet: string): Program {
  const parts = snippet.split(/^\/\/ ([\w-]+\.js)$/gm);
  const named = parts.slice(1);
  const files: Record<string, string> = {};
  for (let at = 0; at < named.length; at += 2) files[named[at] ?? ""] = named[at + 1] ?? "";
  const code = (named.at(-1) ?? snippet)
    .replaceAll("s3://bucket/splits", "data")
    .replaceAll("s3://bucket/", "data/")
    .replace("{ apiKey, region }", "{ apiKey, hostOverride }");
  const imports = code.match(/^import .*;$/gm) ?? [];
  const body = imports.reduce((text, line) => text.replace(line, ""), code);
  const imported = new Set(imports.flatMap((line) => line.replace(/".*"/, "").match(/[\w$]+/g) ?? []));
  const used = [...new Set(body.match(/(?<![\w$]|(?<!\.\.)\.)[a-zA-Z_$][\w$]*/g))].filter(
    (name) => !imported.has(name),
  );
  return {
    files,
    program: [
      ...imports,
      `import { namesFor as given } from ${JSON.stringify(given)};`,
      `const names = await given(${JSON.stringify(page)});`,
      // Whatever of these is declared by the snippet itself stands in a block of its own.
      ...used
        .filter((name) => !reserved.has(name))
        .map((name) => `var ${name} = names.${name} ?? globalThis.${name};`),
      "{",
      body,
      "}",
      "export {};",
      "",
    ].join("\n"),
  };
}

/** Words of the language, and what the program itself calls so. */
const reserved = new Set(
  (
    "async await break case catch class const continue default delete do else export extends false finally for from function if import in " +
    "instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield as given names satisfies type"
  ).split(" "),
);
