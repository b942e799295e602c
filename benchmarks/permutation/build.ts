// Builds and stores a permutation of the table `keys` in the database of the first argument; prints what it took as JSON.
import { permutationBuilder } from "../../src/index.ts";

const [, , database = ""] = process.argv;
const start = performance.now();
const stored = await permutationBuilder(`${database}/keys.lance`)
  .splitHash({ columns: ["key"], splitWeights: [3, 1] })
  .shuffle({ seed: 7 })
  .persist(database, "split");
const seconds = (performance.now() - start) / 1000;
if (stored.splitLengths.length !== 2) throw new Error(`There are ${stored.splitLengths.length} splits.`);
console.log(JSON.stringify({ seconds, peakBytes: process.resourceUsage().maxRSS * 1024 }));
