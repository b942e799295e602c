import type { Schema } from "apache-arrow";
import { Batch } from "../arrow/batch.ts";
import { decodeSchema } from "../arrow/schema.ts";
import { LanceLoaderError } from "../errors.ts";
import { loadBinding, type NativeBinding } from "../native.ts";
import { native } from "../tables/native-errors.ts";

/** What a transform is told beside the batch. */
export interface BatchContext {
  readonly epoch: number;
  readonly rowIds: BigUint64Array;
  readonly seeds: BigUint64Array;
  readonly signal: AbortSignal;
}

/** A batch that this thread took, and no other; or a row of one. */
export interface TakenBatch {
  /** Its number among those of the read. */
  readonly sequence: number;
  /** Samples of the plan before it. */
  readonly first: number;
  readonly batch: Batch;
  readonly context: BatchContext;
}

interface Attached {
  readonly pipeline: InstanceType<NativeBinding["AttachedPipeline"]>;
  readonly plan: InstanceType<NativeBinding["Plan"]>;
  readonly schema: Schema;
}

/** A read of the main thread, from which this thread takes batches for itself. */
export class AttachedRead {
  readonly #pipeline: number;
  readonly #epoch: number;
  readonly #ended = new AbortController();
  /** Batches that may be run again, by number. */
  readonly #kept = new Map<number, TakenBatch>();
  #attached: Attached | undefined;

  /** @param pipeline - the id under which it was shared. */
  constructor(pipeline: number, epoch: number) {
    this.#pipeline = pipeline;
    this.#epoch = epoch;
  }

  /**
   * The next batch that no thread has, or `null` at the end.
   *
   * @throws {@link LanceLoaderError} What reading throws, behind the batches before it; `CLOSED`.
   */
  async take(): Promise<TakenBatch | null> {
    const attached = this.#attach();
    for (;;) {
      const taken = native(() => attached.pipeline.take());
      if (taken === null) return null;
      const [found] = taken;
      if (found !== undefined) {
        const { sequence, first, numRows } = found;
        const batch = Batch.fromNative(attached.schema, found);
        return { sequence, first, batch, context: this.#contextOf(attached, first, numRows) };
      }
      await attached.pipeline.wait();
    }
  }

  /** Keeps a batch for {@link AttachedRead.rowOf}, until it is released. */
  keep(taken: TakenBatch): void {
    this.#kept.set(taken.sequence, taken);
  }

  release(sequence: number): void {
    this.#kept.delete(sequence);
  }

  /** A row of a batch that was kept. */
  rowOf(sequence: number, row: number): TakenBatch {
    const kept = this.#kept.get(sequence);
    if (kept === undefined)
      throw new LanceLoaderError("INTERNAL", `Batch ${sequence} is to be run again, and was not kept.`);
    const first = kept.first + row;
    const context = this.#contextOf(this.#attach(), first, 1);
    return { sequence, first, batch: kept.batch.slice(row, row + 1), context };
  }

  /** Tells the transform that nobody wants its result any more. */
  end(): void {
    this.#kept.clear();
    this.#ended.abort();
  }

  /** What the transform is told of `numRows` samples from number `first` on; ids and seeds are made when they are looked at. */
  #contextOf({ plan }: Attached, first: number, numRows: number): BatchContext {
    return {
      epoch: this.#epoch,
      signal: this.#ended.signal,
      get rowIds() {
        return native(() => plan.rowIds(first, numRows));
      },
      get seeds() {
        return native(() => plan.sampleSeeds(first, numRows));
      },
    };
  }

  #attach(): Attached {
    if (this.#attached === undefined) {
      const pipeline = native(() => loadBinding().attachPipeline(this.#pipeline));
      const schema = decodeSchema(native(() => pipeline.schema));
      this.#attached = { pipeline, plan: native(() => pipeline.plan()), schema };
    }
    return this.#attached;
  }
}
