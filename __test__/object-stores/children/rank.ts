// One rank of a training: whenever its parent asks, it hands over a batch and its state, at the end `null`.
import { type StateDict, StreamingDataset, type StreamingDatasetOptions } from "../../../src/index.ts";

/** What a rank hands over: the rows of a step, and the state behind it. */
export interface RankStep {
  readonly ids: readonly number[];
  readonly state: StateDict;
}

const { uri, batchSize, ...options } = JSON.parse(process.argv[2] ?? "") as StreamingDatasetOptions & {
  readonly uri: string;
  readonly batchSize: number;
};
const dataset = await StreamingDataset.open(uri, options);
const batches = dataset.batches(batchSize);
process.on("message", async () => {
  const { value, done } = await batches.next();
  const step: RankStep | null = done
    ? null
    : { ids: Array.from(value.column("id"), Number), state: dataset.stateDict() };
  process.send?.(step);
});
