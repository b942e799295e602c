import type { Batch } from "../../arrow/batch.ts";
import type { Row } from "../../arrow/row-value.ts";
import { StreamingDataset } from "../dataset.ts";
import type { Progress } from "../progress.ts";
import type { ResolvedTransform } from "../transform/options.ts";
import type { Mixed } from "./mixed.ts";

/** How far a dataset is in a mixture. */
export interface MixedDatasetProgress {
  /** Its weight in relation to all, 0 to 1. */
  readonly share: number;
  /** Samples of it that this rank and worker were handed since the mixture began, those that a state tells of included. */
  readonly samples: number;
  /** Its own epoch, in the split that is furthest behind. */
  readonly epoch: number;
}

/**
 * Several datasets as one: see {@link mix}.
 *
 * A mixture is a {@link StreamingDataset} in all things: loops, batches, states, loaders. `version` is that of its first dataset.
 */
export class Mixture<Sample = Row, Batched = Batch> extends StreamingDataset<Sample, Batched> {
  readonly #progress: Progress;
  readonly #mixed: Mixed;

  /** @internal */
  constructor(progress: Progress, mixed: Mixed, transform: ResolvedTransform | undefined) {
    super(progress, transform);
    this.#progress = progress;
    this.#mixed = mixed;
  }

  /** How far each dataset is, in the order in which they were given. */
  get datasets(): readonly MixedDatasetProgress[] {
    const weights = this.#mixed.weights;
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const { counts, owned } = this.#progress.mixtureCounts(this.#mixed);
    const { firstEpochs, splitLengths } = this.#mixed;
    return weights.map((weight, at) => {
      const own = counts[at]?.slice(...owned) ?? [];
      const least = own.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
      return {
        share: weight / total,
        samples: own.reduce((sum, count) => sum + count, 0),
        epoch: (firstEpochs[at] ?? 0) + Math.floor(least / (splitLengths[at] ?? 1)),
      };
    });
  }
}
