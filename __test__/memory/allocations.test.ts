import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { reportOf } from "../process/support/child.ts";
import { known } from "../support/known.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { writeWide } from "./support/wide-table.ts";

/** What a batch of 64 rows of 4 KiB costs: bytes of the JavaScript heap, `ArrayBuffer`s, and their bytes. */
type Costs = Record<string, { heapBytes: number; buffers: number; bufferBytes: number }>;

const snapshot: Costs = JSON.parse(readFileSync(new URL("./allocations.json", import.meta.url), "utf8"));
/** What another V8 may need more. */
const allowance = 1.1;
const folder = tempFolder();
let costs: Costs;

beforeAll(async () => {
  const table = await writeWide(folder, "wide", 4096, 4);
  // Room for all that is made in an epoch: a collection meanwhile would hide it.
  const flags = ["--expose-gc", "--min-semi-space-size=256", "--max-semi-space-size=256"];
  costs = await reportOf<Costs>(new URL("./children/allocations.ts", import.meta.url), [table], { flags });
});

it.each(Object.keys(snapshot))("a_batch_costs_no_more_than_its_snapshot_when_its_use_is_%s", (use) => {
  const { heapBytes, ...buffers } = known(costs[use]);
  const { heapBytes: allowed, ...allowedBuffers } = known(snapshot[use]);
  expect(buffers).toEqual(allowedBuffers);
  expect(heapBytes).toBeGreaterThan(0);
  expect(heapBytes, "a loss; put a new figure into allocations.json only with a reason").toBeLessThan(
    allowed * allowance,
  );
});

it("a_kilobyte_more_a_batch_is_seen", () => {
  const [control, untouched] = [known(costs["control"]), known(costs["untouched"])];
  expect(control.heapBytes - untouched.heapBytes).toBeGreaterThan(1000);
  expect(control.heapBytes).toBeGreaterThan(known(snapshot["untouched"]).heapBytes * allowance);
});
