// A worker thread that reads a table and leaves in the way that its `ending` names.
import { parentPort, workerData } from "node:worker_threads";
import { StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";

/** What a worker is given. */
export interface WorkerTask {
  readonly table: string;
  readonly options: StreamingDatasetOptions;
  /**
   * `report`: posts the ids of the epoch. `return`, `exit`: leaves after two batches. `read`, `open`: says "busy" after two batches and
   * reads, or opens tables, until it is terminated.
   */
  readonly ending: "report" | "return" | "exit" | "read" | "open";
}

const { table, options, ending } = workerData as WorkerTask;
const dataset = await StreamingDataset.open(table, options);
if (ending === "report") {
  const ids: number[] = [];
  for await (const batch of dataset.batches(64)) ids.push(...(batch.column("id") as Int32Array));
  parentPort?.postMessage(ids);
} else {
  const batches = dataset.batches(64);
  await batches.next();
  await batches.next();
  if (ending === "exit") {
    void batches.next();
    process.exit();
  }
  if (ending === "read") await readOn();
  if (ending === "open") await openOn();
}

async function readOn(): Promise<never> {
  const other = await StreamingDataset.open(table, options);
  parentPort?.postMessage("busy");
  for (;;) for await (const _ of other.batches(64));
}

async function openOn(): Promise<never> {
  parentPort?.postMessage("busy");
  for (;;) await StreamingDataset.open(table, options);
}
