// Gives columns of what it is told; later for some batches than for others, so that they are done in another order.
import { setTimeout } from "node:timers/promises";
import type { Batch, OutputColumns, TransformContext } from "../../../src/index.ts";

export default async function seen(batch: Batch, context: TransformContext): Promise<OutputColumns> {
  const id = batch.column("id");
  await setTimeout(Number(id[0]) % 5);
  const { epoch, rowIds, seeds } = context;
  return { id, rowId: rowIds, seed: seeds, epoch: Array(batch.numRows).fill(epoch) };
}
