// Reads an epoch of a table with what the environment says of the store: the ids, or the code of the error.
import { type LanceLoaderError, StreamingDataset } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";

const [uri = ""] = process.argv.slice(2);
try {
  await using dataset = await StreamingDataset.open(uri);
  const ids: number[] = [];
  for await (const row of dataset) ids.push(Number(row["id"]));
  report(ids);
} catch (error) {
  report((error as LanceLoaderError).code);
}
