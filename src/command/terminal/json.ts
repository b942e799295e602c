/** A result as JSON: integers beyond 2^53 as decimal strings, bytes in base64, other typed arrays as lists. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => plain(item), 2);
}

/** A value that JSON has no word for, as one that it has. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint")
    return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
      ? Number(value)
      : value.toString();
  if (isSerializedBuffer(value)) return Buffer.from(value.data).toString("base64");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value as Float64Array);
  return value;
}

/** JSON asks a `Buffer` for its own form before anybody else is asked. */
function isSerializedBuffer(value: unknown): value is { readonly data: number[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    value.type === "Buffer" &&
    "data" in value
  );
}
