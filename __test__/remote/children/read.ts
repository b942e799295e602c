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
  console.log(rows);
} else if (ending === "leaves in the middle") {
  for await (const batch of dataset.batches(16)) {
    console.log(batch.numRows);
    break;
  }
} else if (ending === "exits in the middle") {
  void dataset.batches(16).next();
  console.log("exits");
  process.exit(3);
} else {
  console.log(dataset.numSamples);
}
