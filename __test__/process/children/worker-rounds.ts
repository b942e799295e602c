// Starts workers one after the other. This thread never loads the addon, so that each worker that leaves is the last one that holds it.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { report } from "../support/print.ts";
import type { WorkerTask } from "./worker.ts";

const [table = "", rounds] = process.argv.slice(2);
const endings = ["return", "read", "exit", "open"] as const;

for (let round = 0; round < Number(rounds); round++) {
  const ending = endings[round % endings.length] ?? "return";
  const fetch = round % 8 < 4 ? "take" : "auto";
  const workerData: WorkerTask = { table, options: { fetch }, ending };
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData });
  if (ending === "read" || ending === "open") {
    await once(worker, "message");
    // Later from round to round, to meet the reads and openings at different points.
    await new Promise((resolve) => setTimeout(resolve, round / 4));
    await worker.terminate();
  } else {
    const [code] = await once(worker, "exit");
    if (code !== 0) throw new Error(`the worker of round ${round} exited with ${code}`);
  }
}
report(Number(rounds));
