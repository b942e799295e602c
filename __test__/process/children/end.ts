// Ends in the way that its second argument names. What keeps a process alive, or changes its exit code, shows outside.
import { setTimeout } from "node:timers/promises";
import { StreamingDataset } from "../../../src/index.ts";
import { print } from "../support/print.ts";

const [table = "", ending = ""] = process.argv.slice(2);
const stopped = new AbortController();
/** So many rows that a read is always still under way when it was just asked for. */
const many = 100_000;
const dataset = await StreamingDataset.open(table, { fetch: "take", signal: stopped.signal });

const endings: Readonly<Record<string, () => Promise<void> | void>> = {
  async "loop is left"() {
    for await (const _ of dataset.batches(16)) break;
    await dataset.close();
  },
  async "iterator is left unfinished"() {
    await dataset.batches(16).next();
  },
  async "dataset is never closed"() {
    for await (const _ of dataset.batches(16));
  },
  async "read is aborted"() {
    const pending = dataset.batches(many).next();
    stopped.abort();
    await pending.catch((error) => print(error.code));
  },
  async "dataset is closed under a read"() {
    const pending = dataset.batches(many).next();
    await dataset.close();
    await pending.catch((error) => print(error.code));
  },
  async "iterator is ended under a read"() {
    const batches = dataset.batches(many);
    const pending = batches.next();
    await batches.return();
    print((await pending).done);
  },
  async "body throws"() {
    for await (const _ of dataset.batches(16)) throw new Error("the body failed");
  },
  async "process exits in a read"() {
    const batches = dataset.batches(16);
    for (let read = 0; read < Number(process.argv[4]); read++) await batches.next();
    void batches.next();
    process.exit(7);
  },
  "read is pending"() {
    void dataset
      .batches(16)
      .next()
      .then(({ value }) => print(value?.numRows));
  },
  "opening is pending"() {
    void StreamingDataset.open(table).then(({ numSamples }) => print(numSamples));
  },
  async "timer is held"() {
    for await (const _ of dataset.batches(16)) break;
    void setTimeout(3000);
  },
};

await endings[ending]?.();
print("nobody waits");
