let decoded: Float32Array | undefined;

/**
 * The numbers that the 65,536 IEEE 754 halves stand for, by their bits; every half is exact as a float32.
 *
 * Made at first use (256 KiB) and kept, since looking a half up is faster than decoding it.
 */
export function halfValues(): Float32Array {
  decoded ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => decodeHalf(bits));
  return decoded;
}

function decodeHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
