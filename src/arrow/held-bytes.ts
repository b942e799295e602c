import type { Data } from "apache-arrow";

/** The bytes of memory that columns keep alive: of each block that any buffer of theirs lies in, all of it, once. */
export function heldBytes(columns: readonly Data[]): number {
  const blocks = new Set<ArrayBufferLike>();
  for (const column of columns) collectBlocks(column, blocks);
  let bytes = 0;
  for (const block of blocks) bytes += block.byteLength;
  return bytes;
}

function collectBlocks(data: Data, blocks: Set<ArrayBufferLike>): void {
  for (const buffer of [data.values, data.valueOffsets, data.nullBitmap]) {
    if (ArrayBuffer.isView(buffer)) blocks.add(buffer.buffer);
  }
  for (const child of data.children) collectBlocks(child, blocks);
  for (const chunk of data.dictionary?.data ?? []) collectBlocks(chunk, blocks);
}
