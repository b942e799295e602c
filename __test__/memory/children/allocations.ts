// What one batch costs: `allocations.ts TABLE`, with --expose-gc and a young generation that no collection empties meanwhile.
import { getHeapStatistics } from "node:v8";
import { type Batch, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";
import { collectGarbage } from "../support/garbage.ts";

const [path = ""] = process.argv.slice(2);

/** What a consumer does with a batch. */
const uses: Record<string, (batch: Batch) => unknown> = {
  untouched: () => undefined,
  tensors: (batch) => [batch.tensor("id"), batch.tensor("values")],
  rows: (batch) => batch.rows(),
  arrow: (batch) => batch.toArrow(),
  // A kilobyte that the same batch would cost more.
  control: () => Array(125).fill(0.5),
};

await using dataset = await StreamingDataset.open(path, { fetch: "memory" });
const costs: Record<string, unknown> = {};
for (const [name, use] of Object.entries(uses)) {
  // Twice before: the first epoch reads, and what V8 makes once is made.
  for (let round = 0; round < 2; round++) await epoch(use);
  costs[name] = await epoch(use);
}
report(costs);

/** Medians over the batches of one epoch, less what measuring itself costs. */
async function epoch(use: (batch: Batch) => unknown) {
  await collectGarbage();
  const heap: number[] = [];
  const idle: number[] = [];
  const buffers = new Set<ArrayBufferLike>();
  const results: unknown[] = [];
  const stream = dataset.batches(64);
  for (;;) {
    const start = usedHeap();
    const { value: batch } = await stream.next();
    if (batch === undefined) break;
    const result = use(batch);
    const end = usedHeap();
    idle.push(usedHeap() - end);
    heap.push(end - start);
    results.push(result);
    for (const name of batch.columnNames) buffers.add(batch.tensor(name).data.buffer);
  }
  const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  return {
    heapBytes: median(heap) - median(idle),
    buffers: buffers.size / results.length,
    bufferBytes: bytes / results.length,
  };
}

function usedHeap(): number {
  return getHeapStatistics().used_heap_size;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}
