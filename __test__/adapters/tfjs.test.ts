import * as tf from "@tensorflow/tfjs";
import * as arrow from "apache-arrow";
import { Bool, Field, FixedSizeList, Float32, Int64, type Table, Utf8, vectorFromArray } from "apache-arrow";
import { afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { type TensorsByName, toTensor, toTfDataset, type XsAndYsTensors } from "../../src/adapters/tfjs.ts";
import { Batch, StreamingDataLoader, StreamingDataset } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { known } from "../support/known.ts";
import { epochIds, readIds, withDataset } from "../support/reading.ts";
import { range, tablePath, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const rows = 24;
const options = { shuffleSeed: 3, columns: ["id", "pixels", "label"] };
let path: string;

beforeAll(async () => {
  await tf.setBackend("cpu");
  await writeTable(folder, "rows", [tableOf(rows)]);
  path = tablePath(folder, "rows");
});

let before = 0;
beforeEach(() => {
  before = tf.memory().numTensors;
});
afterEach(() => {
  // What an element is made of is its taker's to dispose; nothing else may stay.
  expect(tf.memory().numTensors).toBe(before);
});

function tableOf(count: number): Table {
  const pixels = new FixedSizeList(2, new Field("item", new Float32(), false));
  return new arrow.Table({
    id: vectorFromArray(range(0, count), new arrow.Int32()),
    pixels: vectorFromArray(
      range(0, count).map((id) => [id / count, 1 - id / count]),
      pixels,
    ),
    label: vectorFromArray(
      range(0, count).map((id) => id / count),
      new Float32(),
    ),
    name: vectorFromArray(
      range(0, count).map((id) => `row ${id}`),
      new Utf8(),
    ),
  });
}

/** The ids of the elements of a dataset. */
async function idsOf(dataset: tf.data.Dataset<TensorsByName>): Promise<number[]> {
  const ids: number[] = [];
  await dataset.forEachAsync((element) => {
    ids.push(...(element["id"]?.dataSync() ?? []));
    tf.dispose(element);
  });
  return ids;
}

describe("a tf.data dataset", () => {
  it("has_an_element_for_each_batch_and_an_order_of_its_own_in_each_epoch", async () => {
    await withDataset(path, options, async (dataset) => {
      const data = toTfDataset(new StreamingDataLoader(dataset, { batchSize: 7 }));
      const epochs = [await idsOf(data), await idsOf(data)];
      expect(epochs).toEqual([
        await epochIds(path, { ...options, epoch: 0 }),
        await epochIds(path, { ...options, epoch: 1 }),
      ]);
      expect(epochs[0]).not.toEqual(epochs[1]);
      expect(dataset.epoch).toBe(2);
    });
  });

  it("is_what_fitDataset_takes_and_a_state_counts_the_batches_that_were_trained_on", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    await using resumed = await StreamingDataset.open(path, options);
    const loader = new StreamingDataLoader(dataset, { batchSize: 4 });
    const model = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [2] })] });
    model.compile({ optimizer: "sgd", loss: "meanSquaredError" });
    const first = await epochIds(path, options);
    const rests: number[][] = [];
    const { history } = await model.fitDataset(toTfDataset(loader, { xs: "pixels", ys: "label" }), {
      epochs: 2,
      verbose: 0,
      callbacks: {
        async onBatchEnd() {
          if (rests.length === 5) return;
          resumed.loadStateDict(dataset.stateDict());
          rests.push(await readIds(resumed));
        },
      },
    });
    model.dispose();
    model.optimizer.dispose();
    expect(rests).toEqual(range(1, 6).map((batches) => first.slice(4 * batches)));
    expect(history["loss"]).toHaveLength(2);
    expect(dataset.epoch).toBe(2);
  });

  it("feeds_a_model_of_several_inputs_by_name", async () => {
    await withDataset(path, options, async (dataset) => {
      const data = toTfDataset(dataset.batches(5), { xs: ["pixels", "id"], ys: ["label"] });
      const [element] = await data.take(1).toArray();
      expect(Object.keys(element?.xs ?? {})).toEqual(["pixels", "id"]);
      expect(known(element?.xs as TensorsByName | undefined)["pixels"]?.shape).toEqual([5, 2]);
      expect(Object.keys(element?.ys ?? {})).toEqual(["label"]);
      tf.dispose(element);
    });
  });

  it("takes_a_function_and_disposes_what_it_made_on_the_way", async () => {
    await withDataset(path, options, async (dataset) => {
      const loader = new StreamingDataLoader(dataset, { batchSize: 24, collate: (batch) => ({ batch }) });
      const data = toTfDataset(loader, ({ batch }) => toTensor(batch.tensor("label")).mul(2).add(1));
      const [element] = await data.toArray();
      const ids = await epochIds(path, options);
      expect(Array.from(element?.dataSync() ?? [])).toEqual(
        ids.map((id) => Math.fround(Math.fround(id / rows) * 2 + 1)),
      );
      tf.dispose(element);
    });
  });

  it("an_iterator_that_was_left_is_ended_by_the_next_one", async () => {
    await withDataset(path, options, async (dataset) => {
      const data = toTfDataset(new StreamingDataLoader(dataset, { batchSize: 4 }));
      const seen = [...(await idsOf(data.take(2))), ...(await idsOf(data))];
      expect(seen).toEqual(await epochIds(path, options));
    });
  });

  it("an_iterator_that_is_not_read_disturbs_none", async () => {
    await withDataset(path, options, async (dataset) => {
      const data = toTfDataset(dataset.batches(8));
      await data.iterator();
      expect(await idsOf(data)).toEqual(await epochIds(path, options));
    });
  });

  it("names_what_it_can_not_take", async () => {
    await withDataset(path, { columns: ["name"] }, async (dataset) => {
      const rowsOfText = toTfDataset(dataset.batches(4));
      await failure(() => rowsOfText.toArray(), "UNSUPPORTED_TYPE", '"name"', "rows()");
      const samples = toTfDataset(dataset as AsyncIterable<unknown> as AsyncIterable<Batch>);
      await failure(
        () => samples.toArray(),
        "INVALID_ARGUMENT",
        "loader is an object",
        "a source of batches",
      );
      const late = toTfDataset(dataset.batches(4), (() => Promise.resolve(1)) as unknown as () => number);
      await failure(() => late.toArray(), "INVALID_ARGUMENT", "not a promise");
      for (const [argument, columns] of [
        ["xs", { ys: "label" }],
        ["ys", { xs: "pixels", ys: [] }],
        ["columns has no option", { xs: "pixels", y: "label" }],
      ] as const) {
        const wrong = columns as unknown as { xs: string; ys: string };
        await failure(() => toTfDataset(dataset.batches(4), wrong), "INVALID_ARGUMENT", argument);
      }
      const noLoader = 5 as unknown as AsyncIterable<Batch>;
      await failure(() => toTfDataset(noLoader), "INVALID_ARGUMENT", "loader is 5");
    });
  });

  it("its_elements_have_types", async () => {
    await withDataset(path, options, async (dataset) => {
      const loader = new StreamingDataLoader(dataset, { batchSize: 8 });
      expectTypeOf(toTfDataset(loader)).toEqualTypeOf<tf.data.Dataset<TensorsByName>>();
      const xsAndYs = toTfDataset(loader, { xs: "pixels", ys: "label" });
      expectTypeOf(xsAndYs).toEqualTypeOf<tf.data.Dataset<XsAndYsTensors>>();
      const counts = toTfDataset(dataset, (sample) => Object.keys(sample).length);
      expectTypeOf(counts).toEqualTypeOf<tf.data.Dataset<number>>();
    });
  });
});

describe("a tensor", () => {
  it.each([
    ["float32", new Float32(), [0.5, -1], "float32"],
    ["float64", new arrow.Float64(), [0.5, -1], "float32"],
    ["float16", new arrow.Float16(), [0.5, -1], "float32"],
    ["int8", new arrow.Int8(), [127, -128], "int32"],
    ["uint8", new arrow.Uint8(), [0, 255], "int32"],
    ["uint16", new arrow.Uint16(), [0, 65535], "int32"],
    ["int32", new arrow.Int32(), [2 ** 31 - 1, -(2 ** 31)], "int32"],
    ["uint32", new arrow.Uint32(), [0, 2 ** 31 - 1], "int32"],
    ["int64", new Int64(), [2n ** 31n - 1n, -(2n ** 31n)], "int32"],
    ["bool", new Bool(), [true, false], "bool"],
  ] as const)("of_%s_keeps_its_values", (_, type, values, dtype) => {
    const batch = Batch.fromArrow(
      new arrow.Table({ column: vectorFromArray<arrow.DataType>([...values], type) }),
    );
    const tensor = toTensor(batch.tensor("column"));
    expect({ dtype: tensor.dtype, shape: tensor.shape }).toEqual({ dtype, shape: [2] });
    expect(Array.from(tensor.dataSync())).toEqual(values.map(Number));
    tensor.dispose();
  });

  it.each([
    ["uint32", new arrow.Uint32(), 2 ** 31],
    ["int64", new Int64(), -(2n ** 31n) - 1n],
    ["uint64", new arrow.Uint64(), 2n ** 64n - 1n],
  ] as const)("of_%s_that_does_not_fit_into_int32_is_an_error", async (_, type, value) => {
    const batch = Batch.fromArrow(
      new arrow.Table({ column: vectorFromArray<arrow.DataType>([value], type) }),
    );
    await failure(() => toTensor(batch.tensor("column")), "UNSUPPORTED_TYPE", `${value}`, "int32");
  });

  it("of_float32_shares_the_memory_of_its_batch", async () => {
    await withDataset(path, options, async (dataset) => {
      const [batch] = [await dataset.batches(4).next()].map(({ value }) => value);
      const column = batch?.tensor("label");
      const tensor = column && toTensor(column);
      expect(tensor?.dataSync()).toBe(column?.data);
      tensor?.dispose();
    });
  });
});
