// What the snippets of the documentation leave to the reader: tables, and names that they use and do not declare.
import { createHash } from "node:crypto";
import { createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { connect } from "@lancedb/lancedb";
import * as tf from "@tensorflow/tfjs";
import {
  Field,
  FixedSizeList,
  Float32,
  Int32,
  List,
  Table,
  Uint8,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import * as loader from "lance-loader";
import onnxProto from "onnx-proto";
import { key, StubServer } from "../../remote/support/stub-server.ts";
import { range, writeTable } from "../../support/tables.ts";

/** The names by which snippets call things, and the things. */
export type Names = Record<string, unknown>;

/** Writes the tables that snippets open into `data/` of the current folder, and the files beside them. */
export async function writeGiven(): Promise<void> {
  const rows = 256;
  const fixed = (size: number, type: Uint8 | Float32) =>
    new FixedSizeList(size, new Field("item", type, false));
  const digits = new Table({
    image: vectorFromArray(
      range(0, rows).map((row) => Array(784).fill(row % 256)),
      fixed(784, new Uint8()),
    ),
    features: vectorFromArray(
      range(0, rows).map((row) => [row, 1, 2, 3]),
      fixed(4, new Float32()),
    ),
    label: vectorFromArray(
      range(0, rows).map((row) => row % 10),
      new Int32(),
    ),
    user: vectorFromArray(
      range(0, rows).map((row) => `user ${row % 50}`),
      new Utf8(),
    ),
    file: vectorFromArray(
      range(0, rows).map((row) => `file ${row}`),
      new Utf8(),
    ),
    text: vectorFromArray(
      range(0, rows).map((row) => `text ${row}`),
      new Utf8(),
    ),
  });
  const tokens = new Table({
    tokens: vectorFromArray(
      range(0, rows).map((row) => Array(1 + ((row * 37) % 300)).fill(row)),
      new List(new Field("item", new Int32(), false)),
    ),
    label: vectorFromArray(
      range(0, rows).map((row) => row % 10),
      new Int32(),
    ),
  });
  for (const name of ["train", "photos", "images", "web", "code"]) await writeTable("data", name, [digits]);
  await writeTable("data", "tokens", [tokens]);
  const many = range(0, 50_000);
  const long = new Table({
    tokens: vectorFromArray(
      many.map((row) => Array(1 + (row % 7)).fill(row)),
      new List(new Field("item", new Int32(), false)),
    ),
    label: vectorFromArray(Int32Array.from(many)),
  });
  await writeTable("data", "many", [long]);
  await loader
    .permutationBuilder("data/train.lance")
    .splitRandom({ ratios: [0.8, 0.2], splitNames: ["train", "val"] })
    .persist("data", "stored");
  writeFileSync("decode.js", "export default (batch) => batch.rows().map(({ file }) => file);\n");
  writeFileSync("model.onnx", identityModel());
}

/** A model that gives what it is given. */
function identityModel(): Uint8Array {
  const { ModelProto } = onnxProto.onnx;
  const value = (name: string) => ({ name, type: { tensorType: { elemType: 1 } } });
  const node = [{ opType: "Identity", input: ["input"], output: ["output"] }];
  const graph = { name: "identity", node, input: [value("input")], output: [value("output")] };
  const opsetImport = [{ domain: "", version: 15 }];
  return ModelProto.encode(ModelProto.fromObject({ irVersion: 8, opsetImport, graph })).finish();
}

/** What every page may use. */
async function common(): Promise<Names> {
  const dataset = await loader.StreamingDataset.open("data/train.lance", { shuffleSeed: 7 });
  const done = () => undefined;
  return {
    ...loader,
    dataset,
    loader: new loader.StreamingDataLoader(dataset, { batchSize: 64 }),
    rank: 0,
    worldSize: 1,
    savedText: JSON.stringify(dataset.stateDict()),
    decode: (row: loader.Row) => row["file"],
    allReduceMin: async (steps: number) => steps,
    train: done,
    save: done,
    step: done,
    use: done,
    gauge: done,
    spawn: done,
    readFileSync,
    createHash,
    createWriteStream,
    pipeline,
    web: await loader.StreamingDataset.open("data/web.lance", { columns: ["text"] }),
    code: await loader.StreamingDataset.open("data/code.lance", { columns: ["text"] }),
  };
}

let stub: StubServer | undefined;

/** A stub of LanceDB's service. */
async function service(): Promise<Names> {
  stub ??= await StubServer.start("data", "train");
  return { connect, apiKey: key, hostOverride: stub.url };
}

/** What one page uses beside or in place of that. */
const own: Record<string, () => Promise<Names>> = {
  "README.md": service,
  "docs/guide/frameworks.md": async () => {
    const model = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [784] })] });
    model.compile({ optimizer: tf.train.sgd(1e-6), loss: "meanSquaredError" });
    async function* encode(batches: AsyncIterable<loader.Batch>) {
      for await (const batch of batches) yield batch.tensor("image").data as Uint8Array;
    }
    return { model, encode };
  },
  "docs/guide/object-stores.md": async () => ({ table: "data/train.lance", storageOptions: {} }),
  "docs/guide/order.md": async () => {
    const many = await loader.StreamingDataset.open("data/many.lance", { epoch: 3 });
    const parts = [many, await loader.StreamingDataset.open("data/many.lance", { shuffleSeed: 1 })];
    return {
      dataset: many,
      mixture: await loader.mix(
        parts.map((dataset) => ({ dataset, weight: 1 })),
        { seed: 7, stop: "all" },
      ),
      table: "data/many.lance",
      options: {},
      savedText: JSON.stringify(many.stateDict()),
    };
  },
  "docs/guide/permutations.md": async () => ({ source: "data/train.lance", stored: "data/stored.lance" }),
  "docs/guide/remote-tables.md": service,
  "docs/guide/transforms.md": async () => ({
    table: "data/train.lance",
    transform: (batch: loader.Batch) => batch.rows(),
  }),
};

/** Ends what is given. */
export async function closeGiven(): Promise<void> {
  await stub?.close();
}

/** The names for the snippets of a page. */
export async function namesFor(page: string): Promise<Names> {
  return { ...(await common()), ...(await own[page]?.()) };
}
