import type { Batch, StreamingDataset } from "../../../src/index.ts";

/** What one block holds. */
export interface Block {
  readonly inputIds: readonly number[];
  readonly docIds: readonly number[];
}

/** The blocks of a batch, by its tensors. */
export function blocksOf(batch: Batch): Block[] {
  const [inputIds, docIds] = [rowsOf(batch, "inputIds"), rowsOf(batch, "docIds")];
  return inputIds.map((ids, row) => ({ inputIds: ids, docIds: docIds[row] ?? [] }));
}

/** The rows of a tensor of `[batch, length]`. */
export function rowsOf(batch: Batch, column: string): number[][] {
  const { data, shape } = batch.tensor(column);
  const length = shape[1] ?? 0;
  const values = Array.from(data as Iterable<number | bigint>, Number);
  return Array.from({ length: shape[0] ?? 0 }, (_, row) => values.slice(row * length, (row + 1) * length));
}

/** The next `count` blocks, or all that are left, in batches; the loop is left after the last one. */
export async function readBlocks(
  dataset: StreamingDataset,
  batchSize: number,
  count = Number.POSITIVE_INFINITY,
): Promise<Block[]> {
  const blocks: Block[] = [];
  if (count === 0) return blocks;
  for await (const batch of dataset.batches(batchSize)) {
    blocks.push(...blocksOf(batch));
    if (blocks.length >= count) break;
  }
  return blocks;
}
