// A worker thread without the library: for each list of ids that it is sent, it works on them in batches, and answers with the sum of what came out.
import { parentPort } from "node:worker_threads";
import { work } from "./work.ts";

/** What a thread is to do. */
export interface BareTask {
  readonly ids: Int32Array;
  readonly batchRows: number;
}

parentPort?.on("message", ({ ids, batchRows }: BareTask) => {
  let sum = 0;
  for (let at = 0; at < ids.length; at += batchRows)
    for (const value of work(ids.subarray(at, at + batchRows))) sum += value;
  parentPort?.postMessage(sum);
});
