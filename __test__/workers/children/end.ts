// Loops with a module transform and ends in the way that its second argument names. What keeps a process alive shows outside.
import { StreamingDataset } from "../../../src/index.ts";
import { print } from "../../process/support/print.ts";
import { failing, openWith } from "../support.ts";

const [table = "", ending = "", how = ""] = process.argv.slice(2);
const stopped = new AbortController();
const dataset = await openWith(table, failing(how, 100), { signal: stopped.signal });

async function loop(): Promise<void> {
  for await (const _ of dataset.batches(10));
}

/** What the loop comes to. */
function told(looping: Promise<void>): Promise<void> {
  return looping.then(
    () => print("ended"),
    (error) => print(error.code),
  );
}

const endings: Readonly<Record<string, () => Promise<void> | void>> = {
  loops_without_closing: () => told(loop()),
  async leaves_its_loop() {
    for await (const _ of dataset.batches(10)) break;
  },
  async abandons_its_iterator() {
    await dataset.batches(10).next();
  },
  async aborts() {
    const looping = told(loop());
    setTimeout(() => stopped.abort(), 1000);
    await looping;
  },
  async closes_under_a_loop() {
    const looping = told(loop());
    setTimeout(() => void dataset.close(), 1000);
    await looping;
    await dataset.close();
    print(
      process
        .getActiveResourcesInfo()
        .filter((name) => name !== "PipeWrap" && name !== "Immediate")
        .join(),
    );
  },
  async loops_again_after_the_failure() {
    await told(loop());
    const state = dataset.stateDict();
    await using other = await StreamingDataset.open(table, {
      shuffle: false,
      state,
      transform: failing("nothing", 0),
    });
    let rows = 0;
    for await (const batch of other.batches(10)) rows += batch.numRows;
    print(rows);
  },
};

await endings[ending]?.();
print("nobody waits");
