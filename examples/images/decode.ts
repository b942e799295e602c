// The transform: runs in worker threads, and gets batches that each thread has taken for itself.
import jpeg from "jpeg-js";
import type { Batch, OutputColumns } from "lance-loader";

/** The size of every picture: what is decoded must fit in one tensor. */
const side = 56;

/** Decodes a batch of JPEG files into grey values from 0 to 1. A file that is damaged throws. */
export default function decode(batch: Batch): OutputColumns {
  const pixels = side * side;
  const image = new Float32Array(batch.numRows * pixels);
  for (const [row, { file }] of batch.rows().entries()) {
    const { width, height, data } = jpeg.decode(file as Uint8Array, {
      useTArray: true,
      tolerantDecoding: false,
    });
    if (width !== side || height !== side) throw new Error(`the picture has ${width} × ${height} pixels`);
    for (let at = 0; at < pixels; at++) image[row * pixels + at] = (data[4 * at] ?? 0) / 255;
  }
  return { image: { data: image, shape: [batch.numRows, side, side] }, label: batch.column("label") };
}
