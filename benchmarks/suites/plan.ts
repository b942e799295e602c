import { SampleOrder } from "lance-loader";
import { Bench } from "tinybench";
import { describe, environment } from "../report/environment.ts";
import { format, table } from "../report/markdown.ts";
import { type Suite, wholeNumber } from "../suite.ts";

/** A shuffled epoch whose order is told. */
interface Epoch {
  readonly numRows: number;
  readonly numSplits: number;
  readonly epoch: number;
}

/** Samples that are told at one time. */
const samples = 2 ** 16;

const epochs: readonly Epoch[] = [1e5, 1e6, 1e7, 1e8, 1e9, 1e10].flatMap((numRows) =>
  [1, 64, 1024].flatMap((numSplits) => [0, 1000].map((epoch) => ({ numRows, numSplits, epoch }))),
);

/** What the order of an epoch costs, without a table: to begin with, and by the sample. */
export const plan: Suite = {
  options: {
    time: { type: "string", default: "500", help: "milliseconds for each case (500)" },
  },
  run: async (values) => {
    const bench = new Bench({ time: wholeNumber(values, "time"), warmupTime: 50, throws: true });
    for (const [at, options] of epochs.entries()) {
      const order = new SampleOrder({ shuffleSeed: 7, ...options });
      check(order, options);
      // Samples from the middle of the epoch: nothing was told before.
      const from = Math.max(0, Math.floor(order.numSamples / 2) - samples);
      bench.add(`begin ${at}`, () => new SampleOrder({ shuffleSeed: 7, ...options }).rows(0, 1));
      bench.add(`tell ${at}`, () => order.rows(from, samples));
    }
    await bench.run();
    const milliseconds = (name: string) => {
      const result = bench.getTask(name)?.result;
      if (result?.state !== "completed") throw new Error(`${name} was not measured.`);
      return result.latency.p50;
    };
    const results = epochs.map((options, at) => ({
      ...options,
      microsecondsToBegin: milliseconds(`begin ${at}`) * 1e3,
      nanosecondsASample: (milliseconds(`tell ${at}`) * 1e6) / Math.min(samples, told(options)),
    }));
    const where = environment();
    const head = ["rows", "splits", "epoch", "µs to begin", "ns a sample"];
    const rows = results.map((result) => [
      format(result.numRows),
      format(result.numSplits),
      format(result.epoch),
      format(result.microsecondsToBegin),
      format(result.nanosecondsASample),
    ]);
    const about = `A shuffled epoch, of which ${format(samples)} samples from the middle are told; medians, in one process.`;
    const markdown = `# The order of an epoch\n\n${describe(where)}\n${about}\n\n${table(head, rows)}`;
    return { name: "plan", markdown, data: { environment: where, samples, results } };
  },
};

/** Samples of the epoch. */
function told({ numRows, numSplits }: Epoch): number {
  return Math.floor(numRows / numSplits) * numSplits;
}

/** Rows that come twice, or that are not there, must not count as fast. */
function check(order: SampleOrder, { numRows }: Epoch): void {
  const rows = order.rows(0, samples);
  if (new Set(rows).size !== rows.length || rows.some((row) => row >= BigInt(numRows)))
    throw new Error(`the order of ${numRows} rows has a row twice, or one that is not there.`);
}
