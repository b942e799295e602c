// peak over "start" where start = after opening + one take-epoch of few rows
import { StreamingDataset } from "lance-loader";
import { readFileSync, writeFileSync } from "node:fs";
const [table, options] = [process.argv[2]!, JSON.parse(process.argv[3]!)];
const status = (k: string) => Number(new RegExp(`^${k}:\\s+(\\d+)`, "m").exec(readFileSync("/proc/self/status", "utf8"))![1]) / 1024;
const open = await StreamingDataset.open(table, { ...options, fetch: "take", memoryBudget: 1e6 });
for await (const b of open.batches(256)) break;
await open.close();
writeFileSync("/proc/self/clear_refs", "5");
const start = status("VmRSS");
const ds = await StreamingDataset.open(table, options);
let n = 0;
for await (const b of ds.batches(256)) n += b.numRows;
console.log(JSON.stringify(options), n, "start", start.toFixed(0), "added", (status("VmHWM") - start).toFixed(0), ds.stats.fetch);
await ds.close();
