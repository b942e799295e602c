import { SampleOrder } from "../../index.ts";
import { requestsFor } from "../requests.ts";
import type { ClumpCost, Cost } from "./data.ts";

/** What the cost of takes depends on. */
export interface CostFacts {
  /** Rows of the epoch, over all ranks. */
  readonly rows: number;
  readonly numSplits: number;
  readonly rowBytes: number;
  readonly columns: number;
  /** Whether each read is a request to a server. */
  readonly isRemote: boolean;
}

const clumps = [1, 4, 16, 64, 256, 1024];
const windows = [256, 1024, 4096, 16_384, 65_536, 262_144];
/** Lance joins reads that are closer than this: of an object store, and of local files. */
const joined = { remote: 64 * 2 ** 10, local: 4 * 2 ** 10 };

/** The requests and bytes of a shuffled epoch that is taken, for each size of clumps and windows. */
export function costOf({ rows, numSplits, rowBytes, columns, isRemote }: CostFacts): Cost {
  const joinedBytes = isRemote ? joined.remote : joined.local;
  const gapRows = Math.floor(joinedBytes / Math.max(1, rowBytes / columns));
  const most = Math.floor(rows / numSplits) * numSplits;
  const sizes = [...windows.filter((window) => window < most), Math.min(most, windows.at(-1) ?? most)];
  const lines = clumps
    .filter((clump) => clump === 1 || clump < rows)
    .map((clump): ClumpCost => {
      const order = new SampleOrder({ numRows: rows, numSplits, shuffleClumpSize: clump });
      const costs = sizes.map((window) => requestsFor(order.rows(0, window), gapRows));
      return {
        clump,
        requestsPer1000Rows: costs.map((cost) => (cost.requests * columns * 1000) / cost.rows),
        readAmplification: costs.map((cost) => cost.rowsRead / cost.rows),
      };
    });
  return { rowBytes, columns, joinedBytes, windows: [...new Set(sizes)], clumps: lines };
}
