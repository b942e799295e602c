import type { Batch } from "../../arrow/batch.ts";
import { BatchReader } from "../../tables/batch-reader.ts";
import { Turns } from "../turns.ts";
import { PlannedContext } from "./context.ts";
import type {
  Outcome,
  RowResult,
  StartRunner,
  TransformRead,
  TransformResult,
  TransformRunner,
} from "./runner.ts";
import type { Transform } from "./transform.ts";

/** Runs `transform` on the caller's thread, up to `parallelism` calls at a time. */
export function functionRunner(transform: Transform, parallelism: number): StartRunner {
  return (read) => new FunctionRunner(transform, parallelism, read);
}

class FunctionRunner implements TransformRunner {
  readonly parallelism: number;
  readonly #transform: Transform;
  readonly #read: TransformRead;
  readonly #reader: BatchReader;
  readonly #turns = new Turns();
  readonly #ended = new AbortController();
  #sequence = 0;

  constructor(transform: Transform, parallelism: number, read: TransformRead) {
    this.#transform = transform;
    this.parallelism = parallelism;
    this.#read = read;
    // Batch by batch: those that no call has taken yet wait in the addon, where they count against its bounds.
    this.#reader = new BatchReader(read.pipeline, read.schema, read.batchRows);
  }

  async next(): Promise<TransformResult | null> {
    const batch = await this.#turns.take(() => this.#reader.next());
    if (batch === null) return null;
    const sequence = this.#sequence++;
    const from = this.#read.from + sequence * this.#read.batchRows;
    let raw: Batch | undefined = batch;
    return {
      sequence,
      numRows: batch.numRows,
      ...(await this.#call(batch, from)),
      rerun: (row) => this.#call((raw as Batch).slice(row, row + 1), from + row),
      release: () => {
        raw = undefined;
      },
    };
  }

  close(): void {
    this.#ended.abort();
    this.#reader.close();
  }

  async #call(batch: Batch, from: number): Promise<RowResult> {
    const { plan, epoch } = this.#read;
    const context = new PlannedContext({ plan, epoch, from, numRows: batch.numRows }, this.#ended.signal);
    const began = performance.now();
    const outcome = await this.#outcome(batch, context);
    return { seconds: (performance.now() - began) / 1000, outcome };
  }

  async #outcome(batch: Batch, context: PlannedContext): Promise<Outcome> {
    try {
      return { outputs: await this.#transform(batch, context) };
    } catch (error) {
      return { error };
    }
  }
}
