import { StreamingDataset } from "lance-loader";
import type { Bench } from "tinybench";
import { type LoaderCase, Stream } from "./case.ts";

/** Adds the cases to a bench. Each opens its own dataset of the table and closes it, so that only one holds memory at a time. */
export function addCases(bench: Bench, table: string, cases: readonly LoaderCase[]): void {
  for (const { name, options, batchSize, step = (stream: Stream) => stream.next() } of cases) {
    let stream: Stream | undefined;
    bench.add(name, () => step(stream as Stream), {
      async: batchSize !== undefined,
      beforeAll: async () => {
        stream = new Stream(await StreamingDataset.open(table, options), batchSize ?? 1);
        // Once around, so that what is kept in memory is there.
        for (let rows = 0; batchSize && rows < stream.dataset.numSamples; rows += batchSize)
          await stream.next();
      },
      afterAll: () => stream?.dataset.close(),
    });
  }
}
