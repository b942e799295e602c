import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { node } from "./node.ts";
import { say } from "./process.mjs";
import { root } from "./stamp.ts";
import { type Tally, tallyOfExit } from "./tally.ts";

/** Runs what the documentation shows, shortly: the quickstart and its resume, every other example, and the benchmark's smoke. */
export async function smoke(): Promise<Tally[]> {
  const data = join(root, ".data", "smoke");
  rmSync(data, { recursive: true, force: true });
  const tallies = [
    await trains(["--data", data, "--epochs", "1"], 1),
    await trains(["--data", data, "--epochs", "2", "--resume"], 2),
  ];
  for (const example of otherExamples()) tallies.push(await succeeds([example]));
  if (existsSync(join(root, "benchmarks", "run.ts")))
    tallies.push(await succeeds(["benchmarks/run.ts", "smoke"]));
  return tallies;
}

/** The quickstart, which must report an accuracy above 0.9 after the epoch that it ends with. */
async function trains(args: readonly string[], epoch: number): Promise<Tally> {
  let output = "";
  const onOutput = (chunk: string) => {
    output += chunk;
  };
  const tally = await succeeds(["examples/quickstart/main.ts", ...args], onOutput);
  const accuracy = new RegExp(`^epoch ${epoch} .*accuracy (0\\.\\d+)`, "m").exec(output)?.[1];
  if (tally.failed > 0 || Number(accuracy) > 0.9) return tally;
  say(
    `the quickstart should reach an accuracy above 0.9 in epoch ${epoch}, and reported ${accuracy ?? "none"}`,
  );
  return tallyOfExit(1);
}

async function succeeds(args: readonly string[], onOutput?: (chunk: string) => void): Promise<Tally> {
  say(`running ${args.map((arg) => arg.replace(`${root}/`, "")).join(" ")}`);
  return tallyOfExit(await node(args, onOutput ? { onOutput } : {}));
}

/** `examples/<name>.ts` and `examples/<name>/main.ts`. */
function otherExamples(): string[] {
  return readdirSync(join(root, "examples"))
    .sort()
    .map((name) => (name.endsWith(".ts") ? `examples/${name}` : `examples/${name}/main.ts`))
    .filter((path) => path !== "examples/quickstart/main.ts" && existsSync(join(root, path)));
}
