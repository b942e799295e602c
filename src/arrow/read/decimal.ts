import type { Decimal } from "apache-arrow";
import type { ValueReader } from "./reader.ts";

/** Reads decimals of any width as exact strings with `scale` digits after the point. */
export function decimalReader({ bitWidth, scale }: Decimal): ValueReader {
  const words = bitWidth / 32;
  return ({ values }) =>
    (index) => {
      let unscaled = 0n;
      for (let word = (index + 1) * words - 1; word >= index * words; word--) {
        unscaled = (unscaled << 32n) | BigInt(values[word]);
      }
      return decimalString(BigInt.asIntN(bitWidth, unscaled), scale);
    };
}

function decimalString(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  return `${unscaled < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
