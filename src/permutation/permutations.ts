import type { TableSource } from "../tables/source.ts";
import { Permutation } from "./permutation.ts";
import { type PermutationSource, type PermutationTable, resolvePermutation } from "./permutation-table.ts";

/** All splits of a permutation of a table. */
export class Permutations {
  readonly #table: PermutationTable;

  private constructor(table: PermutationTable) {
    this.#table = table;
  }

  /**
   * Opens a permutation of a table; its parameters and errors are those of {@link Permutation.fromTables}.
   *
   * @throws {@link LanceLoaderError} As {@link Permutation.fromTables}.
   */
  static async open(table: TableSource, permutation: PermutationSource): Promise<Permutations> {
    return new Permutations(await resolvePermutation(table, permutation));
  }

  /** The number of splits. */
  get length(): number {
    return this.#table.splitLengths.length;
  }

  /** The names of the splits; empty where they have none. */
  get splitNames(): readonly string[] {
    return this.#table.splitNames ?? [];
  }

  /** One split. @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where there is none. */
  get(indexOrName: number | string): Permutation {
    return Permutation.of(this.#table, this.#table.split(indexOrName));
  }
}
