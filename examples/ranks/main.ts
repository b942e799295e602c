// One process of several that share an epoch. Run it once by itself, which makes the table; then with any launcher:
//
//   node examples/ranks/main.ts
//   mpirun -n 4 node examples/ranks/main.ts
//   torchrun --standalone --nproc-per-node 4 --no-python node examples/ranks/main.ts
//   srun -n 4 node examples/ranks/main.ts
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { detectTopology, StreamingDataset } from "lance-loader";

const folder = join(import.meta.dirname, "..", "..", ".data", "ranks");
const { rank, worldSize, launcher } = detectTopology();

if (!existsSync(join(folder, "numbers.lance"))) {
  if (worldSize > 1) throw new Error("There is no table yet: run this once without a launcher.");
  const rows = Array.from({ length: 12_000 }, (_, id) => ({ id, value: Math.sqrt(id) }));
  await (await connect(folder)).createTable("numbers", rows);
}

// With numSplits fixed, every number of ranks that divides it gets the same samples in the same global steps.
await using dataset = await StreamingDataset.open(join(folder, "numbers.lance"), {
  rank,
  worldSize,
  numSplits: 24,
  shuffleSeed: 7,
});

// Half of the epoch; each rank saves its own state.
let [rows, sum] = [0, 0];
for await (const batch of dataset.batches(24 / worldSize)) {
  rows += batch.numRows;
  for (const value of batch.column("value") as Float64Array) sum += value;
  if (rows === dataset.numSamples / 2) break;
}
const states = join(folder, "states");
mkdirSync(states, { recursive: true });
writeFileSync(join(states, `${rank}.json`), JSON.stringify(dataset.stateDict()));
console.log(
  `rank ${rank} of ${worldSize} (${launcher ?? "no launcher"}): ${rows} rows, mean ${(sum / rows).toFixed(2)}`,
);

// The rest on one process: here by the last rank alone, from its own state, since ranks that go in step need no merge.
if (rank === worldSize - 1) {
  const state = JSON.parse(readFileSync(join(states, `${rank}.json`), "utf8"));
  await using rest = await StreamingDataset.open(join(folder, "numbers.lance"), { state });
  let left = 0;
  for await (const _ of rest) left++;
  console.log(`the rest of the epoch on one process: ${left} rows`);
}
