import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { describe, expect, test } from "vitest";
import { LanceLoaderError, StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { known } from "../../support/known.ts";
import { idsOf, readIds } from "../../support/reading.ts";
import { idRows, range, writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
/** Storage order, read in small windows, so that the damage is met in the middle of the epoch. */
const inOrder = { shuffle: false, fetch: "take", readBatchSize: 10, ioQueueDepth: 2 } as const;

/** A table of 90 rows in three fragments, and the file of the last one. */
async function tableAndLastFile(name: string): Promise<{ path: string; file: string }> {
  const path = await writeIds(folder, name, 60, { fragments: 2 });
  const before = new Set(readdirSync(join(path, "data")));
  await (await (await connect(folder)).openTable(name)).add(idRows(60, 90));
  const [last] = readdirSync(join(path, "data")).filter((file) => !before.has(file));
  return { path, file: join(path, "data", known(last)) };
}

const damages: [string, (file: string) => void][] = [
  ["truncated to half", (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
  ["emptied", (file) => truncateSync(file, 0)],
  ["overwritten with zeros", (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length))],
  ["overwritten with other text", (file) => writeFileSync(file, "this is no table\n".repeat(100))],
  ["removed", (file) => rmSync(file)],
];

describe("a data file that is damaged in the middle of an epoch is told at its turn, behind the batches before it:", () => {
  test.each(damages)("%s", async (how, damage) => {
    const { path, file } = await tableAndLastFile(`damaged-${damages.findIndex(([name]) => name === how)}`);
    copyFileSync(file, `${file}.kept`);
    await using dataset = await StreamingDataset.open(path, inOrder);
    damage(file);
    const ids: number[] = [];
    const train = async () => {
      for await (const batch of dataset.batches(10)) {
        ids.push(...idsOf(batch));
      }
    };
    const error = await failure(train, "READ_FAILED");
    expect(error.cause).toBeInstanceOf(Error);
    expect(ids).toEqual(range(0, 60));
    expect(dataset.stateDict()).toMatchObject({ epoch: 0, samples_consumed_per_split: [60] });
    // Once the file is there again the loop goes on where it failed.
    renameSync(`${file}.kept`, file);
    expect(await readIds(dataset, 10)).toEqual(range(60, 90));
  });

  test("with the whole table in memory, behind the first window, which is a read of its own", async () => {
    const { path, file } = await tableAndLastFile("damaged-in-memory");
    await using dataset = await StreamingDataset.open(path, { ...inOrder, fetch: "memory" });
    truncateSync(file, 100);
    await failure(() => readIds(dataset, 10), "READ_FAILED");
    expect(dataset.stateDict().samples_consumed_per_split).toEqual([10]);
  });
});

test("noise anywhere in a data file ends in rows or in an error, never in a crash", async () => {
  const { path, file } = await tableAndLastFile("noise");
  const bytes = readFileSync(file);
  for (const start of range(0, 12).map((at) => Math.floor((at * bytes.length) / 12))) {
    const noisy = Buffer.from(bytes);
    for (let at = start; at < Math.min(start + 40, bytes.length); at++) noisy[at] = (at * 131 + 17) % 256;
    writeFileSync(file, noisy);
    await using dataset = await StreamingDataset.open(path, inOrder);
    let rows = 0;
    const read = async () => {
      for await (const batch of dataset.batches(10)) rows += batch.numRows;
    };
    const error = await read().catch((thrown: unknown) => thrown);
    if (error === undefined) expect(rows).toBe(90);
    else expect(error).toBeInstanceOf(LanceLoaderError);
    expect(rows).toBeGreaterThanOrEqual(60);
  }
});

test("a damaged manifest is an error when the table is opened", async () => {
  const { path } = await tableAndLastFile("manifest");
  for (const manifest of readdirSync(join(path, "_versions")).filter((name) => name.endsWith(".manifest")))
    truncateSync(join(path, "_versions", manifest), 20);
  await failure(() => StreamingDataset.open(path), "READ_FAILED", "manifest.lance");
});
