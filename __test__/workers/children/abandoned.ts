// Lets datasets go without closing them, and reports the worker threads before and after they are collected. Needs `--expose-gc`.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { collectGarbage } from "../../memory/support/garbage.ts";
import { report } from "../../process/support/print.ts";
import { moduleOf, openWith } from "../support.ts";

const [table = ""] = process.argv.slice(2);

await read("ends");
await read("is left");
const before = threads();
for (let round = 0; threads() > 0 && round < 100; round++) {
  await collectGarbage();
  await setTimeout(20);
}
report({ before, after: threads() });

async function read(loop: "ends" | "is left"): Promise<void> {
  const dataset = await openWith(table, moduleOf("values.ts"));
  const batches = dataset.batches(64);
  while (!(await batches.next()).done) if (loop === "is left") return;
}

function threads(): number {
  const names = readdirSync("/proc/self/task").map((task) => {
    return readFileSync(`/proc/self/task/${task}/comm`, "utf8").trim();
  });
  return names.filter((name) => name === "lance-transform").length;
}
