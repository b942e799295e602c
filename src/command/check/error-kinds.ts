import type { LanceLoaderError } from "../../index.ts";

/** Failures of a transform of one kind. */
export interface ErrorKind {
  /** The name of what was thrown, with its code where it has one. */
  readonly kind: string;
  readonly rows: number;
  /** The first message. */
  readonly example: string;
}

/** Counts failures of a transform by what was thrown. */
export class ErrorKinds {
  readonly #kinds = new Map<string, { rows: number; readonly example: string }>();

  /** Counts a failing row; to be given as `onTransformError`, it has the row left out. */
  readonly add = (error: LanceLoaderError): true => {
    const { cause, message } = error;
    const kind = kindOf(cause);
    const known = this.#kinds.get(kind);
    if (known === undefined) this.#kinds.set(kind, { rows: 1, example: message });
    else known.rows++;
    return true;
  };

  /** The kinds, the most frequent first. */
  get list(): ErrorKind[] {
    const kinds = [...this.#kinds].map(([kind, { rows, example }]) => ({ kind, rows, example }));
    return kinds.sort((one, other) => other.rows - one.rows);
  }
}

function kindOf(cause: unknown): string {
  if (!(cause instanceof Error)) return `not an Error (${typeof cause})`;
  return "code" in cause ? `${cause.name} ${String(cause.code)}` : cause.name;
}
