import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { StreamingDatasetOptions } from "../../../src/index.ts";
import { known } from "../../support/known.ts";
import type { RankStep } from "../children/rank.ts";
import { environmentOf } from "./seaweedfs.ts";

const program = new URL("../children/rank.ts", import.meta.url);

/** A table, and how its rows are shared. */
export interface RanksOptions extends StreamingDatasetOptions {
  readonly uri: string | URL;
  readonly worldSize: number;
  /** Rows of a step, of all ranks together. */
  readonly stepRows: number;
}

/** The processes of a training: they go in step, as a collective makes them, and are lost together. */
export class RankProcesses {
  readonly #processes: readonly ChildProcess[];
  readonly #ends: readonly Promise<null>[];

  /** Starts all ranks; the store is told to them by their environment only. */
  constructor({ stepRows, ...options }: RanksOptions, storageOptions: Readonly<Record<string, string>>) {
    const { worldSize } = options;
    const env = { ...process.env, ...environmentOf(storageOptions) };
    this.#processes = Array.from({ length: worldSize }, (_, rank) => {
      const own = { ...options, rank, batchSize: stepRows / worldSize };
      return fork(program, [JSON.stringify(own)], { env, execArgv: [] });
    });
    this.#ends = this.#processes.map((child) => once(child, "exit").then(() => null));
  }

  /** A step of every rank; `null` at the end, and where a rank is lost before it has handed over its part. */
  async step(): Promise<RankStep[] | null> {
    const answers = this.#processes.map((child, rank) => Promise.race([ask(child), known(this.#ends[rank])]));
    const parts = await Promise.all(answers);
    const steps = parts.filter((part) => part !== null);
    return steps.length === parts.length ? steps : null;
  }

  /** Kills some ranks, whatever they are doing. */
  kill(...ranks: readonly number[]): void {
    for (const rank of ranks) this.#processes[rank]?.kill("SIGKILL");
  }

  /** Kills all ranks that are left, as a launcher does when one is lost. */
  async stop(): Promise<void> {
    for (const child of this.#processes) child.kill("SIGKILL");
    await Promise.all(this.#ends);
  }
}

async function ask(child: ChildProcess): Promise<RankStep | null> {
  const answer = once(child, "message") as Promise<[RankStep | null]>;
  child.send("step", () => {});
  const [step] = await answer;
  return step;
}
