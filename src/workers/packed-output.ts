import { tableFromIPC, tableToIPC } from "apache-arrow";
import { isArrowTable } from "../arrow/accept/accept.ts";
import { Batch } from "../arrow/batch.ts";

/** What a transform returned, in a form that crosses threads. */
export type PackedOutput =
  | { readonly kind: "value"; readonly value: unknown }
  /** An Arrow IPC stream. */
  | { readonly kind: "arrow"; readonly bytes: Uint8Array };

/** How deep inside arrays and plain objects typed arrays are found; deeper ones are copied by the structured clone. */
const maxDepth = 8;

/**
 * Packs what a transform returned, without a part of the transform's memory in it.
 *
 * Typed arrays are copied here, in the worker thread, and the copies are moved: the main thread copies nothing, and the transform may
 * use an array again, or return the memory of the batch, which can't be moved.
 *
 * @param moved - gets the memory that the message moves.
 */
export function packOutput(output: unknown, moved: ArrayBuffer[]): PackedOutput {
  if (!(output instanceof Batch || isArrowTable(output)))
    return { kind: "value", value: copyOf(output, moved, maxDepth) };
  const batch = output instanceof Batch ? output : Batch.fromArrow(output);
  const bytes = Uint8Array.from(tableToIPC(batch.toArrow(), "stream"));
  moved.push(bytes.buffer);
  return { kind: "arrow", bytes };
}

/** What was packed: Arrow data as a table of this thread's apache-arrow. */
export function unpackOutput(packed: PackedOutput): unknown {
  return packed.kind === "value" ? packed.value : tableFromIPC(packed.bytes);
}

function copyOf(value: unknown, moved: ArrayBuffer[], depth: number): unknown {
  if (ArrayBuffer.isView(value)) return copyOfView(value, moved);
  if (value instanceof ArrayBuffer) return keep(value.slice(), moved);
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, moved, depth - 1));
  if (!isPlainObject(value)) return value;
  const copies = Object.entries(value).map(([key, item]) => [key, copyOf(item, moved, depth - 1)]);
  return Object.fromEntries(copies);
}

function copyOfView(view: ArrayBufferView, moved: ArrayBuffer[]): ArrayBufferView {
  const { buffer, byteOffset, byteLength } = view;
  // Shared memory is shared with the main thread, too.
  if (!(buffer instanceof ArrayBuffer)) return view;
  const copy = keep(buffer.slice(byteOffset, byteOffset + byteLength), moved);
  // Of the plain class, as after a structured clone: a Buffer is an Uint8Array.
  const name = (view as unknown as { readonly [Symbol.toStringTag]: string })[Symbol.toStringTag];
  const plain = (globalThis as unknown as Record<string, new (buffer: ArrayBuffer) => ArrayBufferView>)[name];
  return plain === undefined ? view : new plain(copy);
}

function keep(copy: ArrayBuffer, moved: ArrayBuffer[]): ArrayBuffer {
  moved.push(copy);
  return copy;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
