// Pictures as JPEG files in a table, decoded in two worker threads. One file is damaged: its row is skipped, and counted.
//
//   node examples/images/main.ts
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { type Batch, StreamingDataLoader, StreamingDataset } from "lance-loader";
import { readPictures } from "./pictures.ts";

const folder = mkdtempSync(join(tmpdir(), "lance-loader-images-"));
try {
  const pictures = readPictures(120).map((picture) =>
    picture.id === 77 ? { ...picture, file: picture.file.subarray(0, 400) } : picture,
  );
  const table = await (await connect(folder)).createTable("pictures", pictures);
  await using dataset = await StreamingDataset.open(table, {
    shuffleSeed: 7,
    transform: new URL("./decode.ts", import.meta.url),
    transformParallelism: 2,
    onTransformError: "skip",
  });

  let images = 0;
  let brightness = 0;
  for await (const batch of new StreamingDataLoader<Batch>(dataset, { batchSize: 32 })) {
    const { data, shape } = batch.tensor("image");
    images += shape[0] ?? 0;
    for (const value of data) brightness += Number(value);
  }
  const { rowsSkipped, transformTime } = dataset.stats;
  console.log(`decoded ${images} images of 56 × 56 pixels in ${transformTime.toFixed(1)} s of two threads`);
  console.log(
    `mean brightness ${(brightness / images / 56 ** 2).toFixed(3)}, ${rowsSkipped} bad image skipped`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
