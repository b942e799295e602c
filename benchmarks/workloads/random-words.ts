/** Numbers that look random and are a function of a seed: Marsaglia's xorshift (13, 17, 5), 32 bits a number. */
export function randomWords(words: Uint32Array, seed: number): Uint32Array {
  let state = (seed * 2654435761 + 0x9e3779b9) >>> 0 || 1;
  for (let index = 0; index < words.length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    words[index] = state;
  }
  return words;
}
