// Two languages mixed by weight. The run stops in the middle and goes on as two ranks that want more of the smaller set.
//
//   node examples/mixture/main.ts
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import {
  type Mixture,
  mix,
  type StateDict,
  StreamingDataset,
  type StreamingDatasetOptions,
} from "lance-loader";

const folder = mkdtempSync(join(tmpdir(), "lance-loader-mixture-"));
try {
  const database = await connect(folder);
  const rowsOf = (language: string, rows: number) =>
    Array.from({ length: rows }, (_, id) => ({ language, text: `${language} ${id}` }));
  const english = await database.createTable("english", rowsOf("english", 2000));
  const welsh = await database.createTable("welsh", rowsOf("welsh", 150));

  /** The mixture as one rank sees it. An epoch of it has 1600 samples, over all ranks. */
  const open = async (
    share: number,
    topology: StreamingDatasetOptions,
    state?: StateDict,
  ): Promise<Mixture> => {
    const options = { numSplits: 4, ...topology };
    await using large = await StreamingDataset.open(english, options);
    await using small = await StreamingDataset.open(welsh, options);
    const parts = [
      { dataset: large, weight: 1 - share },
      { dataset: small, weight: share },
    ];
    return await mix(parts, { seed: 7, stop: 1600, ...(state && { state }) });
  };
  const count = (counts: Record<string, number>, batch: { rows(): readonly Record<string, unknown>[] }) => {
    for (const { language } of batch.rows()) counts[String(language)] = (counts[String(language)] ?? 0) + 1;
  };

  await using alone = await open(0.1, {});
  const before: Record<string, number> = {};
  for await (const batch of alone.batches(64)) {
    count(before, batch);
    if (alone.stats.consumedRows === 640) break;
  }
  console.log("one rank, a tenth is Welsh:", before);

  const state = JSON.parse(JSON.stringify(alone.stateDict()));
  for (const rank of [0, 1]) {
    await using mixture = await open(0.5, { rank, worldSize: 2 }, state);
    const after: Record<string, number> = {};
    for await (const batch of mixture.batches(32)) count(after, batch);
    const epochs = mixture.datasets.map(({ epoch }) => epoch);
    console.log(
      `rank ${rank} of two, half is Welsh from there on:`,
      after,
      "epochs of the datasets:",
      epochs,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
