import type { Schema } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import { checkFields } from "./check-fields.ts";
import { layoutSize } from "./layout.ts";
import { recordTemplate } from "./record-template.ts";
import type { Row } from "./row-value.ts";

const plans = new WeakMap<Schema, SchemaPlan>();

/** What all batches of one schema share: the columns' names and places, and the shape of a row. */
export class SchemaPlan {
  /** The names of the columns, in order. */
  readonly names: readonly string[];
  /** A row in which every column is null. */
  readonly newRow: () => Row;
  /** Where each column begins in the layout of a native batch; the last entry is where the layout ends. */
  readonly layoutStarts: readonly number[];
  readonly #places: ReadonlyMap<string, number>;

  private constructor(schema: Schema) {
    checkFields(schema.fields);
    this.names = Object.freeze(schema.fields.map(({ name }) => name));
    this.newRow = recordTemplate(this.names);
    this.#places = new Map(this.names.map((name, place) => [name, place]));
    const starts = [0];
    for (const { type } of schema.fields) starts.push((starts.at(-1) ?? 0) + layoutSize(type));
    this.layoutStarts = starts;
  }

  /** The plan of `schema`, made once for each schema object. */
  static of(schema: Schema): SchemaPlan {
    let plan = plans.get(schema);
    if (plan === undefined) {
      plan = new SchemaPlan(schema);
      plans.set(schema, plan);
    }
    return plan;
  }

  /**
   * The place of the column `name`.
   *
   * @throws {@link LanceLoaderError} `UNKNOWN_COLUMN`, with the nearest names.
   */
  place(name: string): number {
    const place = this.#places.get(name);
    if (place !== undefined) return place;
    throw new LanceLoaderError(
      "UNKNOWN_COLUMN",
      `The batch has no column ${JSON.stringify(name)}. ${didYouMean(String(name), this.names)}`,
    );
  }
}
