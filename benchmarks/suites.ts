import type { Suite } from "./suite.ts";

/** Where a suite is, loaded when it is run. */
export interface SuiteEntry {
  readonly summary: string;
  load(): Promise<Suite>;
}

/** Every suite by name. A new one is a file in `suites/` and a line here. */
export const suites: Readonly<Record<string, SuiteEntry>> = {
  smoke: {
    summary: "every part once, shortly: is anything broken? (seconds; writes no results)",
    load: async () => (await import("./suites/smoke.ts")).smoke,
  },
  loader: {
    summary: "batches per second through the addon, by fetch mode, batch size and form of delivery",
    load: async () => (await import("./suites/loader.ts")).loader,
  },
  plan: {
    summary: "the order of an epoch: what a sample costs, by rows, splits and epoch, to 10^10 rows",
    load: async () => (await import("./suites/plan.ts")).plan,
  },
  permutation: {
    summary:
      "building hash-split, shuffled permutations: rows per second and peak memory, by size of the table",
    load: async () => (await import("./suites/permutation.ts")).permutation,
  },
  peers: {
    summary: "one shuffled epoch with this library and with what could be used instead, side by side",
    load: async () => (await import("./suites/peers.ts")).peers,
  },
  transform: {
    summary: "a CPU-bound transform on one and two worker threads, with and without the library",
    load: async () => (await import("./suites/transform.ts")).transform,
  },
  packing: {
    summary: "tokens per second of sequence packing, beside Python LanceDB's and a plain scan's",
    load: async () => (await import("./suites/packing.ts")).packing,
  },
};
