import { randomWords } from "../workloads/random-words.ts";

/** A full shuffle in place (Fisher and Yates), a function of the seed. */
export function shuffle<Values extends BigUint64Array | Float64Array>(values: Values, seed: number): Values {
  const words = randomWords(new Uint32Array(values.length), seed);
  for (let last = values.length - 1; last > 0; last--) {
    const other = Math.floor(((words[last] as number) / 2 ** 32) * (last + 1));
    const kept = values[last] as bigint & number;
    values[last] = values[other] as bigint & number;
    values[other] = kept;
  }
  return values;
}
