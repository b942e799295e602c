// Reads a table in two worker threads and, three times meanwhile, in this one.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";
import { report } from "../support/print.ts";
import type { WorkerTask } from "./worker.ts";

const [table = ""] = process.argv.slice(2);
const shared = { shuffleSeed: 3, numSplits: 2, worldSize: 2 } as const;
const workers = Promise.all([readInWorker({ ...shared, rank: 0 }), readInWorker({ ...shared, rank: 1 })]);
const here = [await read(0), await read(1), await read(0)];
report({ here, workers: await workers });

async function read(rank: number): Promise<number[]> {
  await using dataset = await StreamingDataset.open(table, { ...shared, rank });
  const ids: number[] = [];
  for await (const batch of dataset.batches(64)) ids.push(...(batch.column("id") as Int32Array));
  return ids;
}

async function readInWorker(options: StreamingDatasetOptions): Promise<number[]> {
  const workerData: WorkerTask = { table, options, ending: "report" };
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData });
  const [ids] = await once(worker, "message");
  await once(worker, "exit");
  return ids;
}
