// Reads a remote table and ends in the way that it is told, without closing anything.
import { connect } from "@lancedb/lancedb";
import { StreamingDataset } from "../../../src/index.ts";

const [, , hostOverride = "", apiKey = "", ending = ""] = process.argv;
const database = await connect("db://shop", { apiKey, hostOverride });
const table = await database.openTable("ids");
const dataset = await StreamingDataset.open(table, { fetch: "take" });

if (ending === "reads all of it") {
  let rows = 0;
  for await (const batch of dataset.batches(16)) rows += batch.numRows;
  process.stdout.write(`${rows}\n`);
} else if (ending === "leaves in the middle") {
  for await (const batch of dataset.batches(16)) {
    process.stdout.write(`${batch.numRows}\n`);
    break;
  }
} else if (ending === "exits in the middle") {
  void dataset.batches(16).next();
  process.stdout.write("exits\n");
  process.exit(3);
} else {
  process.stdout.write(`${dataset.numSamples}\n`);
}
