import { InvalidArgumentError } from "commander";

const factors: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
};

/** A whole number of at least `min`: `1000`, `1e9`, `1_000`. */
export function wholeNumber(min = 0): (text: string) => number {
  return (text) => {
    const value = /^[\d_]+(e\d+)?$/i.test(text) ? Number(text.replaceAll("_", "")) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= min) return value;
    throw new InvalidArgumentError(`It must be a whole number of at least ${min}.`);
  };
}

/** A number of at least 0. */
export function amount(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError("It must be a number of at least 0.");
}

/** Bytes: `1048576`, `64MiB`, `1.5GB`. */
export function byteSize(text: string): number {
  const [, digits, prefix] = /^(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?$/i.exec(text) ?? [];
  const value = Math.floor(Number(digits) * (factors[(prefix ?? "").toLowerCase()] ?? Number.NaN));
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError("It must be a number of bytes, such as 1048576, 64MiB or 1.5GB.");
}

/** A seed: a whole number below 2^64. */
export function seed(text: string): bigint {
  if (/^\d{1,20}$/.test(text) && BigInt(text) < 1n << 64n) return BigInt(text);
  throw new InvalidArgumentError("It must be a whole number from 0 to 2^64 - 1.");
}

/** Items between commas, at least one, each read by `item`. */
export function list<Item>(item: (text: string) => Item): (text: string) => [Item, ...Item[]] {
  return (text) => {
    const [first = "", ...others] = text.split(",").map((part) => part.trim());
    return [item(first), ...others.map(item)];
  };
}

/** A name that is not empty. */
export function name(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

/** Collects the values of an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
