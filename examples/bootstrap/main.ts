// Bootstrap samples as splits of an epoch: an ensemble of which each member trains on its own sample, and a rare class
// that is drawn as often as the common one.
//
//   node examples/bootstrap/main.ts
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { Permutation, permutationBuilder, StreamingDataset } from "lance-loader";

const folder = mkdtempSync(join(tmpdir(), "lance-loader-bootstrap-"));
try {
  const rows = Array.from({ length: 1000 }, (_, id) => ({
    id,
    value: (id * 37) % 1000,
    rare: id % 20 === 0,
  }));
  const table = await (await connect(folder)).createTable("rows", rows);

  // An ensemble of four means. The samples of a step come from one split after the other, so member m gets every fourth.
  const members = [0, 0, 0, 0];
  await using ensemble = await StreamingDataset.open(table, {
    splitStrategy: (builder) => builder.bootstrapSample({ numSamples: 4000, fixed: 4, seed: 7 }),
  });
  let step = 0;
  for await (const { value } of ensemble) {
    const member = step++ % members.length;
    members[member] = (members[member] ?? 0) + Number(value) / 1000;
  }
  const mean = members.reduce((sum, member) => sum + member, 0) / members.length;
  const deviations = members.map((member) => (member - mean) ** 2);
  const spread = Math.sqrt(deviations.reduce((sum, square) => sum + square, 0) / (members.length - 1));
  console.log(`ensemble of ${members.length}: mean ${mean.toFixed(1)}, standard error ${spread.toFixed(1)}`);

  // One row in twenty is rare. Draws from the rare rows alone, as many as there are common rows, are an epoch of their own.
  const built = await permutationBuilder(table)
    .filter("rare")
    .bootstrapSample({ numSamples: 950, fixed: 1, seed: 1 })
    .execute();
  const oversampled = await Permutation.fromTables(table, built);
  await using rare = await StreamingDataset.open(table, { permutation: oversampled });
  await using common = await StreamingDataset.open(table, { filter: "NOT rare" });
  const seen = new Set<number>();
  for await (const { id } of rare) seen.add(Number(id));
  console.log(
    `an epoch has ${rare.numSamples} rare samples of ${seen.size} rows, and ${common.numSamples} common ones`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
