// Opens three datasets under the old name of an option, and tells the warnings.
import { setImmediate } from "node:timers/promises";
import { StreamingDataset } from "../../../src/index.ts";
import { print } from "../support/print.ts";

const [table = ""] = process.argv.slice(2);
const warnings: string[] = [];
process.on("warning", ({ name, message }) => warnings.push(`${name}: ${message}`));
for (const prefetchBatches of [1, 2, 3]) {
  await using _ = await StreamingDataset.open(table, { prefetchBatches });
}
await setImmediate();
print(JSON.stringify(warnings));
