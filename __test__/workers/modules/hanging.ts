// In epoch 0 it hangs, in the way that its URL names, at the batch with the id 100, and tells of its signal on a channel.
import { BroadcastChannel } from "node:worker_threads";
import type { Batch, TransformContext } from "../../../src/index.ts";

const returns = new URL(import.meta.url).searchParams.get("how") === "never_settles";

export default async function hang(batch: Batch, { epoch, signal }: TransformContext): Promise<Batch> {
  if (epoch > 0 || !Array.from(batch.column("id"), Number).includes(100)) return batch;
  const channel = new BroadcastChannel("hanging");
  channel.postMessage("hangs");
  while (!returns);
  signal.addEventListener("abort", () => channel.postMessage("aborted"));
  return new Promise(() => undefined);
}
