import { mkdirSync } from "node:fs";
import { dataFolder } from "../folders.ts";
import { pythonVersions } from "../peers/python.ts";
import { createKeys } from "../permutation/create.ts";
import { type BuildOutput, builders, runBuilder } from "../permutation/run.ts";
import { describe, environment } from "../report/environment.ts";
import { format, mebibytes, table } from "../report/markdown.ts";
import { type Suite, wholeNumber } from "../suite.ts";

type Builder = keyof typeof builders;

interface Result {
  readonly builder: Builder;
  readonly rows: number;
  readonly outputs: readonly BuildOutput[];
}

const huge = 100_000_000;

/** Hash-split and shuffled permutations: rows per second and peak memory, beside Python LanceDB's on the same table. */
export const permutation: Suite = {
  options: {
    rows: { type: "string", default: "1000000,10000000", help: "sizes of the table (1000000,10000000)" },
    huge: { type: "boolean", default: false, help: "100,000,000 rows, too, built once by each (minutes)" },
    rounds: { type: "string", default: "3", help: "builds of each (3)" },
    ours: { type: "boolean", default: false, help: "without Python LanceDB, which is installed otherwise" },
  },
  run: async (values) => {
    const sizes = String(values["rows"]).split(",");
    const rounds = wholeNumber(values, "rounds");
    const chosen = (Object.keys(builders) as Builder[]).slice(0, values["ours"] === true ? 1 : undefined);
    const all = [...sizes.map((rows) => wholeNumber({ rows }, "rows")), ...(values["huge"] ? [huge] : [])];
    mkdirSync(dataFolder, { recursive: true });
    const results: Result[] = [];
    for (const rows of all) results.push(...(await measure(chosen, rows, rows === huge ? 1 : rounds)));
    const where = environment(chosen.length > 1 ? pythonVersions() : {});
    const about = `One int64 key a row, split 3 : 1 by its hash, each split shuffled, stored as a table. One process for each build, by turns; the median of the builds and the highest peak, which is the process's resident memory, the libraries included. Ours keeps to its default memoryLimit of 100 MiB; Python LanceDB fails at 10,000,000 rows under its default of 100 MiB, and was given 8 GiB.`;
    const loads = results.flatMap(({ outputs }) => outputs.map(({ load }) => load));
    const busy = `Load average of the machine when a build began: ${format(Math.min(...loads))} to ${format(Math.max(...loads))}.`;
    const markdown = `# Building permutations\n\n${describe(where)}\n${about}\n${busy}\n\n${tableOf(results)}`;
    return { name: "permutation", markdown, data: { environment: where, results } };
  },
};

async function measure(chosen: readonly Builder[], rows: number, rounds: number): Promise<Result[]> {
  const database = await createKeys(dataFolder, rows);
  const runs = chosen.map((builder) => ({ builder, rows, outputs: [] as BuildOutput[] }));
  for (let round = 0; round < rounds; round++)
    for (const { builder, outputs } of runs) outputs.push(await runBuilder(builder, database, rows));
  return runs;
}

function tableOf(results: readonly Result[]): string {
  const lines = results.map(({ builder, rows, outputs }) => {
    const times = outputs.map(({ seconds }) => seconds).toSorted((left, right) => left - right);
    const seconds = times[Math.floor(times.length / 2)] ?? Number.NaN;
    const peak = Math.max(...outputs.map(({ peakBytes }) => peakBytes));
    const numbers = [format(rows), `${outputs.length}`, format(seconds), format(rows / seconds)];
    return [builder, ...numbers, mebibytes(peak)];
  });
  return table(["", "rows", "builds", "seconds", "rows/s", "peak MiB"], lines);
}
