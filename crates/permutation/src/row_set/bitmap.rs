//! The bits of one chunk, with the number of ones before each block.

/// Bits in a chunk: 2^16.
const BITS: usize = 1 << 16;
const WORDS: usize = BITS / 64;
/// Words in a block: one cache line.
const BLOCK: usize = 8;
const BLOCKS: usize = WORDS / BLOCK;

/// A bitmap over the 2^16 values of a chunk; rank and select look at one block of 512 bits.
#[derive(Clone, Debug)]
pub(super) struct Bitmap {
    words: [u64; WORDS],
    /// Ones before each block: at most 2^16 - 512, which fits.
    before: [u16; BLOCKS],
}

impl Bitmap {
    /// Counts the blocks of a filled word array.
    pub(super) fn new(words: &[u64; WORDS]) -> Box<Self> {
        let mut bitmap = Box::new(Self { words: *words, before: [0; BLOCKS] });
        let mut ones = 0_u32;
        for (before, block) in bitmap.before.iter_mut().zip(words.chunks_exact(BLOCK)) {
            *before = ones as u16;
            ones += block.iter().map(|word| word.count_ones()).sum::<u32>();
        }
        bitmap
    }

    pub(super) fn contains(&self, low: u16) -> bool {
        self.words[usize::from(low) / 64] >> (low % 64) & 1 == 1
    }

    /// The number of ones below `low`.
    pub(super) fn rank(&self, low: u16) -> u32 {
        let word = usize::from(low) / 64;
        let block = word / BLOCK;
        let whole: u32 = self.words[block * BLOCK..word].iter().map(|word| word.count_ones()).sum();
        let part = (self.words[word] & ((1 << (low % 64)) - 1)).count_ones();
        u32::from(self.before[block]) + whole + part
    }

    /// The `n`-th one from 0. `n` must be below the number of ones.
    pub(super) fn select(&self, n: u32) -> u16 {
        let block = self.before.partition_point(|&before| u32::from(before) <= n) - 1;
        let mut left = n - u32::from(self.before[block]);
        let mut word = block * BLOCK;
        while word + 1 < (block + 1) * BLOCK {
            let ones = self.words[word].count_ones();
            if left < ones {
                break;
            }
            left -= ones;
            word += 1;
        }
        (word * 64) as u16 + select_in_word(self.words[word], left)
    }

    /// Writes the ones from the `n`-th on into `out`, each added to `base`. There must be enough of them.
    pub(super) fn fill(&self, n: u32, base: u64, out: &mut [u64]) {
        let Some(last) = (out.len() as u32).checked_sub(1) else { return };
        debug_assert!(n + last < BITS as u32);
        let first = self.select(n);
        let mut word = usize::from(first) / 64;
        let mut bits = self.words[word] & (u64::MAX << (first % 64));
        for slot in out {
            while bits == 0 && word + 1 < WORDS {
                word += 1;
                bits = self.words[word];
            }
            *slot = base + (word * 64) as u64 + u64::from(bits.trailing_zeros());
            bits &= bits.wrapping_sub(1);
        }
    }
}

/// The position of the `n`-th one of a word: halves are skipped by their counts.
fn select_in_word(word: u64, n: u32) -> u16 {
    let (mut word, mut left, mut position) = (word, n, 0_u16);
    for width in [32_u16, 16, 8, 4, 2, 1] {
        let ones = (word & ((1 << width) - 1)).count_ones();
        if left >= ones {
            left -= ones;
            word >>= width;
            position += width;
        }
    }
    position
}

/// The words of a chunk that is being built.
pub(super) type Words = [u64; WORDS];

/// Sets the bits of some values.
pub(super) fn set(words: &mut Words, values: impl Iterator<Item = u16>) {
    for low in values {
        words[usize::from(low) / 64] |= 1 << (low % 64);
    }
}

/// The words of some values.
pub(super) fn words(values: impl Iterator<Item = u16>) -> Box<Words> {
    let mut words = Box::new([0; WORDS]);
    set(&mut words, values);
    words
}
