import { native } from "../../tables/native-errors.ts";
import type { NativePlan } from "../opened.ts";
import type { TransformContext } from "./transform.ts";

/** The rows, in a plan, that a transform is called for. */
export interface PlannedRows {
  readonly plan: NativePlan;
  readonly epoch: number;
  /** The number of the first row in the plan. */
  readonly from: number;
  readonly numRows: number;
}

/** A context that asks the plan only for what the transform looks at. */
export class PlannedContext implements TransformContext {
  readonly epoch: number;
  readonly signal: AbortSignal;
  readonly #rows: PlannedRows;
  #rowIds: BigUint64Array | undefined;
  #seeds: BigUint64Array | undefined;

  constructor(rows: PlannedRows, signal: AbortSignal) {
    this.epoch = rows.epoch;
    this.signal = signal;
    this.#rows = rows;
  }

  get rowIds(): BigUint64Array {
    const { plan, from, numRows } = this.#rows;
    const rowIds = this.#rowIds ?? native(() => plan.rowIds(from, numRows));
    this.#rowIds = rowIds;
    return rowIds;
  }

  get seeds(): BigUint64Array {
    const { plan, from, numRows } = this.#rows;
    const seeds = this.#seeds ?? native(() => plan.sampleSeeds(from, numRows));
    this.#seeds = seeds;
    return seeds;
  }
}
