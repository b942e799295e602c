// Builds and stores a permutation of the table `keys` of a database as a job (JSON) says; prints what it took as JSON.
import { permutationBuilder } from "../../src/index.ts";

const { database } = JSON.parse(process.argv[2] ?? "") as { readonly database: string };
const start = performance.now();
const stored = await permutationBuilder(`${database}/keys.lance`)
  .splitHash({ columns: ["key"], splitWeights: [3, 1] })
  .shuffle({ seed: 7 })
  .persist(database, "split");
const seconds = (performance.now() - start) / 1000;
const peakBytes = process.resourceUsage().maxRSS * 1024;
const rows = stored.splitLengths.reduce((sum, length) => sum + length, 0);
console.log(JSON.stringify({ seconds, peakBytes, rows }));
