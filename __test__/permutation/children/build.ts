// Builds permutations of a table of large rows, then reads 2000 rows, and reports by how much each let the resident memory grow.
import { Permutation, permutationBuilder } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";

const [table = "", folder = "", name = ""] = process.argv.slice(2);
const rss = process.memoryUsage.rss;

// What the addon and the table's metadata take is there before.
await permutationBuilder(table).execute();
const start = rss();
const builder = permutationBuilder(table);
await builder
  .splitRandom({ ratios: [0.9, 0.1], seed: 1 })
  .shuffle()
  .persist(folder, `${name}-random`);
await builder.splitHash({ columns: ["id"], splitWeights: [9, 1] }).persist(folder, `${name}-hash`);
await builder.splitCalculated({ calculation: "id % 3" }).filter("id > 5").execute();
const built = rss() - start;
const permutation = await Permutation.identity(table);
const rows = await permutation.takeOffsets(Array.from({ length: 2000 }, (_, row) => 1999 - row));
const read = rss() - start;
report({ built, read, ids: rows.map((row) => Number(row["id"])) });
