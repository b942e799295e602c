// Opens packed datasets with each budget of its second argument, and prints the codes of the warnings that came.
import { setImmediate } from "node:timers/promises";
import { StreamingDataset } from "../../../src/index.ts";
import { print } from "../support/print.ts";

const [table = "", budgets = ""] = process.argv.slice(2);
process.on("warning", (warning) => print((warning as Error & { code?: string }).code));

for (const blocksPerEpoch of JSON.parse(budgets) as (number | "auto")[]) {
  await using _ = await StreamingDataset.open(table, {
    packSequences: 8,
    eosId: 0,
    padId: 0,
    blocksPerEpoch,
    numSplits: 2,
  });
  await setImmediate();
}
