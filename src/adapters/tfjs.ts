import {
  data,
  tensor as makeTensor,
  type TensorContainer,
  type Tensor as TfTensor,
  tidy,
} from "@tensorflow/tfjs";
import { Batch } from "../arrow/batch.ts";
import { halfValues } from "../arrow/float16.ts";
import type { Tensor } from "../arrow/tensor.ts";
import { checkOptions, invalid, show } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";

/** Which columns are the inputs and which the targets of a model. */
export interface XsAndYs {
  /** The inputs: a column, or several by name, as a model of several inputs wants them. */
  readonly xs: string | readonly string[];
  /** The targets, likewise. */
  readonly ys: string | readonly string[];
}

/** The tensors of a batch by the names of their columns. */
export type TensorsByName = Record<string, TfTensor>;

/** What `model.fitDataset` and `model.evaluateDataset` take. */
export type XsAndYsTensors = {
  /** The inputs. */
  xs: TfTensor | TensorsByName;
  /** The targets. */
  ys: TfTensor | TensorsByName;
};

/**
 * A loader as a `tf.data.Dataset`: an element for each batch, in the loader's order.
 *
 * Every iterator of the dataset reads the rest of the loader's epoch, so that `fitDataset` with `epochs`, and `repeat()`, train epoch after epoch, each in its own order. Nothing is read
 * ahead: a state that is taken in `onBatchEnd` counts the batches that were trained on, and no other (unless `prefetch` or `shuffle` of `tf.data` come between). An iterator
 * that nobody finishes, as `take(n)` leaves it, is ended by the next one.
 *
 * Without `columns` an element has the tensors of all columns by name; with `{ xs, ys }` what `fitDataset` takes; with a function what that makes of the batch, and tensors that it only used on
 * the way are disposed. Types are those of {@link toTensor}. Who takes elements disposes of them: `fitDataset` does.
 *
 * @param loader - a `StreamingDataLoader`, `dataset.batches(n)` for one epoch, or another source; without a function, of {@link Batch}es.
 * @throws `LanceLoaderError` `INVALID_ARGUMENT`; the iterator also what the loader throws, what {@link toTensor} throws, and what {@link Batch.tensor} throws of columns that have no tensor.
 *
 * @example
 * ```ts
 * const loader = new StreamingDataLoader(dataset, { batchSize: 64 });
 * await model.fitDataset(toTfDataset(loader, { xs: "image", ys: "label" }), { epochs: 3 });
 * ```
 */
export function toTfDataset(loader: AsyncIterable<Batch>): data.Dataset<TensorsByName>;
export function toTfDataset(loader: AsyncIterable<Batch>, columns: XsAndYs): data.Dataset<XsAndYsTensors>;
export function toTfDataset<Batched, Element extends TensorContainer>(
  loader: AsyncIterable<Batched>,
  element: (batch: Batched) => Element,
): data.Dataset<Element>;
export function toTfDataset(
  loader: AsyncIterable<unknown>,
  wanted?: XsAndYs | ((batch: unknown) => TensorContainer),
): data.Dataset<TensorContainer> {
  if (typeof loader?.[Symbol.asyncIterator] !== "function")
    throw invalid("loader", loader, "a StreamingDataLoader or another async iterable of batches");
  const element = elementOf(wanted);
  let last: AsyncIterator<unknown> | undefined;
  return data.generator(() => {
    let own: AsyncIterator<unknown> | undefined;
    return {
      async next(): Promise<IteratorResult<TensorContainer, undefined>> {
        if (own === undefined) {
          await last?.return?.();
          own = last = loader[Symbol.asyncIterator]();
        }
        const { done, value } = await own.next();
        if (done) return { done, value: undefined };
        try {
          return { done: false, value: element(value) };
        } catch (error) {
          await own.return?.();
          throw error;
        }
      },
    };
  });
}

/**
 * A tensor of a batch as one of TensorFlow.js, of the same shape.
 *
 * float32 stays, without a copy where the backend needs none; float16 and float64 become float32; integers of up to 16 bits and int32 become int32, and so do uint32, int64 and
 * uint64 if every value fits; bool stays.
 *
 * @throws `LanceLoaderError` `UNSUPPORTED_TYPE` where a value does not fit into int32.
 */
export function toTensor(tensor: Tensor): TfTensor {
  const shape = [...tensor.shape];
  switch (tensor.dtype) {
    case "float16": {
      const halves = halfValues();
      return makeTensor(
        Float32Array.from(tensor.data, (bits) => halves[bits] as number),
        shape,
        "float32",
      );
    }
    case "float32":
      return makeTensor(tensor.data, shape, "float32");
    case "float64":
      return makeTensor(Float32Array.from(tensor.data), shape, "float32");
    case "bool":
      return makeTensor(tensor.data, shape, "bool");
    case "int32":
      return makeTensor(tensor.data, shape, "int32");
    default:
      return makeTensor(Int32Array.from(tensor.data, toInt32), shape, "int32");
  }
}

function toInt32(value: number | bigint): number {
  const number = Number(value);
  if ((number | 0) === number) return number;
  throw new LanceLoaderError(
    "UNSUPPORTED_TYPE",
    `The value ${show(value)} does not fit into int32, the widest integer type of TensorFlow.js: leave the column out, or make a smaller number of it in a transform.`,
  );
}

/** What makes an element of a batch. Every tensor that is made on the way and isn't in the element is disposed. */
function elementOf(
  wanted: XsAndYs | ((batch: unknown) => TensorContainer) | undefined,
): (batch: unknown) => TensorContainer {
  if (typeof wanted === "function") return (batch) => tidy(() => checkElement(wanted(batch)));
  if (wanted === undefined) return (item) => tidy(() => byName(checkBatch(item)));
  checkOptions("columns", wanted, ["xs", "ys"]);
  const { xs, ys } = wanted;
  checkNames("xs", xs);
  checkNames("ys", ys);
  return (item) => tidy(() => ({ xs: pick(checkBatch(item), xs), ys: pick(checkBatch(item), ys) }));
}

function pick(batch: Batch, names: string | readonly string[]): TfTensor | TensorsByName {
  return typeof names === "string" ? toTensor(batch.tensor(names)) : byName(batch, names);
}

function byName(batch: Batch, names: readonly string[] = batch.columnNames): TensorsByName {
  return Object.fromEntries(names.map((name) => [name, toTensor(batch.tensor(name))]));
}

function checkNames(argument: string, names: unknown): void {
  const list = typeof names === "string" ? [names] : names;
  if (Array.isArray(list) && list.length > 0 && list.every((name) => typeof name === "string")) return;
  throw invalid(argument, names, "the name of a column, or a list of names");
}

function checkBatch(item: unknown): Batch {
  if (item instanceof Batch) return item;
  throw invalid(
    "loader",
    item,
    "a source of batches, such as a StreamingDataLoader without a collate; of anything else, pass a function that makes the tensors",
  );
}

function checkElement(element: TensorContainer): TensorContainer {
  if (!(element instanceof Promise)) return element;
  element.catch(() => {});
  throw invalid(
    "the element of a batch",
    element,
    "made at once, not a promise: make what takes time in a transform or a collate",
  );
}
