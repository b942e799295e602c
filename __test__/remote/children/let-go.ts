// Opens a remote table again and again, and counts the handles of it that are left.
import { setTimeout } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { connect } from "@lancedb/lancedb";
import { permutationBuilder, StreamingDataset } from "../../../src/index.ts";

const [, , hostOverride = "", apiKey = "", ending = ""] = process.argv;
const database = await connect("db://shop", { apiKey, hostOverride });
const table = await database.openTable("ids");
const handles = () => queryObjects(table.constructor as typeof Object) as unknown as number;

const kept: StreamingDataset[] = [];
for (let round = 0; round < 10; round++) {
  const dataset = await StreamingDataset.open(table, { fetch: "take" });
  for await (const _ of dataset.batches(100));
  if (ending === "keeps them") kept.push(dataset);
  else await dataset.close();
  await permutationBuilder(table).execute();
}
for (let tries = 0; tries < 50 && handles() > 1 + kept.length; tries++) {
  globalThis.gc?.();
  await setTimeout(20);
}
process.stdout.write(`${handles()}\n`);
