// A transform, or the function that is asked about its errors, fails in the way that the arguments name; then another loader reads.
import { setTimeout } from "node:timers/promises";
import { type OnTransformError, StreamingDataset, type Transform } from "../../../src/index.ts";
import { report } from "../../process/support/print.ts";
import { failingOn } from "../../support/transforms.ts";

const [table = "", who = "", how = "", policy = "raise"] = process.argv.slice(2);
const stopped = new AbortController();

const ways: Readonly<Record<string, () => never | Promise<never>>> = {
  throws_an_error() {
    throw new Error("broken");
  },
  throws_undefined() {
    throw undefined;
  },
  rejects() {
    return Promise.reject(new Error("broken"));
  },
  rejects_with_undefined() {
    return Promise.reject(undefined);
  },
  never_settles() {
    void setTimeout(20).then(() => stopped.abort(new Error("enough")));
    return new Promise(() => {});
  },
};
const fail = ways[how] as () => never;

const sound = failingOn([]);
const breaking: Transform = (batch) => (sound(batch).includes(5) ? fail() : sound(batch));
const asked: OnTransformError =
  who === "onTransformError" ? () => fail() : (policy as "raise" | "skip" | "warn");

await using dataset = await StreamingDataset.open(table, {
  shuffle: false,
  readBatchSize: 4,
  signal: stopped.signal,
  transform: who === "onTransformError" ? failingOn([5]) : breaking,
  onTransformError: asked,
});
const ids: unknown[] = [];
let error: { code?: string; message?: string } = {};
try {
  for await (const id of dataset) ids.push(id);
} catch (thrown) {
  error = thrown as typeof error;
}
await using later = await StreamingDataset.open(table, { shuffle: false, transform: sound });
const rest: unknown[] = [];
for await (const id of later) rest.push(id);
report({
  ids,
  code: error.code,
  message: error.message,
  later: rest.length,
  skipped: dataset.stats.rowsSkipped,
});
