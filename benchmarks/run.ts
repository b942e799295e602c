// The benchmarks: `npm run bench -- <suite> [options]`.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { dataFolder, resultsFolder } from "./folders.ts";
import { saveReport } from "./report/report.ts";
import { suites } from "./suites.ts";

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error && !process.env["DEBUG"] ? `bench: ${error.message}` : error);
  process.exitCode = 1;
}

async function main([name, ...args]: readonly string[]): Promise<void> {
  const entry = name === undefined || !Object.hasOwn(suites, name) ? undefined : suites[name];
  if (entry === undefined) return explain(name);
  const suite = await entry.load();
  if (args.includes("--help")) return explainSuite(name as string, entry.summary, suite.options);
  const options = { ...suite.options, save: { type: "string" } } as const;
  const { values, tokens } = parseArgs({ args: [...args], options, tokens: true });
  const report = await suite.run(values);
  console.log(`\n${report.markdown}`);
  if (report.data === undefined) return;
  // What was measured in another way than the committed results must not take their place.
  const usual = tokens.every((token) => token.kind !== "option" || token.name === "save");
  const folder = values["save"] ?? (usual ? resultsFolder : join(dataFolder, "results"));
  for (const path of saveReport(String(folder), report)) console.log(`wrote ${path}`);
}

function explain(name: string | undefined): void {
  if (name !== undefined && name !== "--help") {
    throw new Error(
      `there is no suite ${JSON.stringify(name)}. There are: ${Object.keys(suites).join(", ")}.`,
    );
  }
  console.log("npm run bench -- <suite> [options]; --help after a suite lists its options\n");
  for (const [suite, { summary }] of Object.entries(suites)) console.log(`  ${suite.padEnd(12)} ${summary}`);
}

function explainSuite(
  name: string,
  summary: string,
  options: Readonly<Record<string, { help: string }>>,
): void {
  console.log(`${name}: ${summary}\n`);
  const all = {
    ...options,
    save: { help: "folder for the results (benchmarks/results, and .data/bench/results with options)" },
  };
  for (const [option, { help }] of Object.entries(all)) console.log(`  --${option.padEnd(12)} ${help}`);
}
