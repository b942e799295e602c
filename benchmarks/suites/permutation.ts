import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dataFolder } from "../folders.ts";
import { buildInChild, type PermutationJob } from "../permutation/child.ts";
import { createKeys } from "../permutation/create.ts";
import { describe, environment } from "../report/environment.ts";
import { format, mebibytes, table } from "../report/markdown.ts";
import { type Suite, wholeNumber } from "../suite.ts";

/** Hash-split and shuffled permutations: rows per second and peak memory, beside Python LanceDB's on the same table. */
export const permutation: Suite = {
  options: {
    rows: {
      type: "string",
      default: "1000000,10000000",
      help: "sizes of the table (1000000,10000000; add 100000000 where there is time)",
    },
    python: { type: "boolean", default: false, help: "measure Python LanceDB, too, which is installed" },
  },
  run: async (values) => {
    const sizes = String(values["rows"])
      .split(",")
      .map((rows) => wholeNumber({ rows }, "rows"));
    mkdirSync(dataFolder, { recursive: true });
    const results = [];
    for (const rows of sizes) {
      const database = await createKeys(dataFolder, rows);
      const builders: PermutationJob["builder"][] = values["python"] === true ? ["ours", "python"] : ["ours"];
      for (const builder of builders) {
        rmSync(join(database, "split.lance"), { recursive: true, force: true });
        results.push({ rows, ...buildInChild({ builder, database }) });
      }
    }
    const where = environment();
    const head = ["", "rows", "seconds", "rows/s", "peak MiB"];
    const lines = results.map(({ builder, rows, seconds, peakBytes }) => [
      builder === "ours" ? "lance-loader" : "Python LanceDB",
      format(rows),
      format(seconds),
      format(rows / seconds),
      mebibytes(peakBytes),
    ]);
    const about =
      "One int64 key a row, split 3 : 1 by its hash, each split shuffled, stored as a table. One process for each build; the peak is its resident memory, the libraries included.";
    const markdown = `# Building permutations\n\n${describe(where)}\n${about}\n\n${table(head, lines)}`;
    return { name: "permutation", markdown, data: { environment: where, results } };
  },
};
