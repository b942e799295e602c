import { fork } from "node:child_process";
import { once } from "node:events";

const program = new URL("../children/rank.ts", import.meta.url);

/** What the ranks of a run read. */
export interface RanksOptions {
  readonly table: string;
  readonly worldSize: number;
  readonly numSplits: number;
  readonly batchSize: number;
  readonly epochs: number;
  /** The ids whose transform fails. */
  readonly bad: readonly number[];
  /** Whether the ranks agree on the end of the epoch. */
  readonly sync: boolean;
}

/** What one rank did. */
export interface RankReport {
  /** For each epoch, its steps. */
  readonly epochs: readonly (readonly number[][])[];
  readonly skipped: number;
  /** How often it took part in the collective. */
  readonly calls: number;
}

/** Runs every rank in a process of its own; this process is where they meet for their collective. */
export async function runRanks(options: RanksOptions): Promise<RankReport[]> {
  const ranks = Array.from({ length: options.worldSize }, (_, rank) =>
    fork(program, [JSON.stringify({ ...options, rank })], { execArgv: [] }),
  );
  const given = new Map<number, number>();
  const calls = ranks.map(() => 0);
  const reports = ranks.map(async (child, rank): Promise<RankReport> => {
    let found: Omit<RankReport, "calls"> | undefined;
    child.on("message", (message: { n: number } | { report: Omit<RankReport, "calls"> }) => {
      if ("report" in message) {
        found = message.report;
        return;
      }
      given.set(rank, message.n);
      calls[rank] = (calls[rank] ?? 0) + 1;
      if (given.size < ranks.length) return;
      const least = Math.min(...given.values());
      given.clear();
      for (const other of ranks) other.send(least);
    });
    const [code] = await once(child, "exit");
    if (code !== 0 || found === undefined) {
      // Those that wait for it would do so forever.
      for (const other of ranks) other.kill();
      throw new Error(`rank ${rank} ended with ${code}`);
    }
    return { ...found, calls: calls[rank] ?? 0 };
  });
  return await Promise.all(reports);
}
