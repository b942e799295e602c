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
  async loop_is_left() {
    for await (const _ of dataset.batches(16)) break;
    await dataset.close();
  },
  async iterator_is_left_unfinished() {
    await dataset.batches(16).next();
  },
  async dataset_is_never_closed() {
    for await (const _ of dataset.batches(16));
  },
  async read_is_aborted() {
    const pending = dataset.batches(many).next();
    stopped.abort();
    await pending.catch((error) => print(error.code));
  },
  async dataset_is_closed_under_a_read() {
    const pending = dataset.batches(many).next();
    await dataset.close();
    await pending.catch((error) => print(error.code));
  },
  async iterator_is_ended_under_a_read() {
    const batches = dataset.batches(many);
    const pending = batches.next();
    await batches.return();
    print((await pending).done);
  },
  async body_throws() {
    for await (const _ of dataset.batches(16)) throw new Error("the body failed");
  },
  async process_exits_in_a_read() {
    const batches = dataset.batches(16);
    for (let read = 0; read < Number(process.argv[4]); read++) await batches.next();
    void batches.next();
    process.exit(7);
  },
  a_read_is_pending() {
    void dataset
      .batches(many)
      .next()
      .then(({ value }) => print(value?.numRows));
  },
  an_opening_is_pending() {
    void StreamingDataset.open(table).then(({ numSamples }) => print(numSamples));
  },
  async timer_is_held() {
    for await (const _ of dataset.batches(16)) break;
    void setTimeout(3000);
  },
};

await endings[ending]?.();
print("nobody waits");
