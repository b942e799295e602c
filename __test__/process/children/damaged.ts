// Reads a damaged table, then one that is sound.
import { StreamingDataset } from "../../../src/index.ts";
import { report } from "../support/print.ts";

const [damaged = "", sound = ""] = process.argv.slice(2);
const error = await read(damaged).catch(({ code, message }) => ({ code, message }));
report({ error, rows: await read(sound) });

async function read(table: string): Promise<number> {
  await using dataset = await StreamingDataset.open(table, { shuffle: false, fetch: "take" });
  let rows = 0;
  for await (const batch of dataset.batches(16)) rows += batch.numRows;
  return rows;
}
