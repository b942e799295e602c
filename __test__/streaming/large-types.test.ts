import { createRequire } from "node:module";
import { connect } from "@lancedb/lancedb";
import type { Vector } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { StreamingDataset } from "../../src/index.ts";
import { collect } from "../support/reading.ts";
import { tablePath } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

// LanceDB takes large types from the copy of apache-arrow that it uses itself, and from no other.
const arrow = createRequire(import.meta.url)("apache-arrow") as typeof import("apache-arrow");
const folder = tempFolder();

const payloads = [Uint8Array.of(1, 2, 3), null, new Uint8Array(), new Uint8Array(5000).fill(7)];
const texts = ["a", null, "", "ü".repeat(3000)];

/** Writes columns of large types, the binary one as blobs or not. */
async function write(name: string, blobs: boolean): Promise<string> {
  const { Field, LargeBinary, LargeUtf8, RecordBatch, Schema, Struct, Table, makeData, vectorFromArray } =
    arrow;
  const encoding = new Map(blobs ? [["lance-encoding:blob", "true"]] : []);
  const fields = [
    new Field("payload", new LargeBinary(), true, encoding),
    new Field("text", new LargeUtf8(), true),
  ];
  const vectors: Vector[] = [
    vectorFromArray(payloads, new LargeBinary()),
    vectorFromArray(texts, new LargeUtf8()),
  ];
  const children = vectors.flatMap((vector) => vector.data);
  const data = makeData({ type: new Struct(fields), length: payloads.length, nullCount: 0, children });
  const schema = new Schema(fields);
  const database = await connect(folder);
  // Newer files have another kind of blobs.
  const storageOptions = { new_table_data_storage_version: "2.1" };
  await database.createTable(name, new Table(schema, [new RecordBatch(schema, data)]), { storageOptions });
  return tablePath(folder, name);
}

describe.each(["memory", "take"] as const)("with fetch %s,", (fetch) => {
  const options = { fetch, shuffle: false, readBatchSize: 2 } as const;

  test("large strings and bytes come as plain ones", async () => {
    await using dataset = await StreamingDataset.open(await write(`large-${fetch}`, false), options);
    expect(dataset.schema.fields.map(({ type }) => String(type))).toEqual(["Binary", "Utf8"]);
    const batches = await collect(dataset.batches(2));
    const rows = batches.flatMap((batch) => batch.rows());
    expect(rows).toEqual(payloads.map((payload, row) => ({ payload, text: texts[row] })));
  });

  test("blobs come as their bytes", async () => {
    await using dataset = await StreamingDataset.open(await write(`blobs-${fetch}`, true), options);
    const rows = (await collect(dataset.batches(2))).flatMap((batch) => batch.rows());
    expect(rows.map((row) => row["payload"])).toEqual(payloads);
  });

  test("or as descriptors, which tell where the bytes lie", async () => {
    const path = await write(`descriptors-${fetch}`, true);
    await using dataset = await StreamingDataset.open(path, { ...options, blobs: "descriptors" });
    const rows = (await collect(dataset.batches(2))).flatMap((batch) => batch.rows());
    const sizes = rows.map((row) => (row["payload"] as { size: bigint } | null)?.size ?? null);
    expect(sizes).toEqual([3n, null, 0n, 5000n]);
    expect(rows[3]?.["payload"]).toEqual({ position: 64n, size: 5000n });
  });
});
