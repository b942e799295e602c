// Lets datasets go without closing them, and reports the worker threads before and after they are collected. Needs `--expose-gc`.
import { setTimeout } from "node:timers/promises";
import { collectGarbage } from "../../memory/support/garbage.ts";
import { report } from "../../process/support/print.ts";
import { moduleOf, openWith } from "../support.ts";
import { transformThreads } from "./threads.ts";

const [table = ""] = process.argv.slice(2);

await read("ends");
await read("is left");
const before = transformThreads();
for (let round = 0; transformThreads() > 0 && round < 100; round++) {
  await collectGarbage();
  await setTimeout(20);
}
report({ before, after: transformThreads() });

async function read(loop: "ends" | "is left"): Promise<void> {
  const dataset = await openWith(table, moduleOf("values.ts"));
  const batches = dataset.batches(64);
  while (!(await batches.next()).done) if (loop === "is left") return;
}
