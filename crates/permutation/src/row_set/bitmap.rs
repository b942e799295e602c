//! The bits of one chunk, with the number of ones before each block.

/// Bits in a chunk: 2^16.
const BITS: usize = 1 << 16;
const WORDS: usize = BITS / 64;
/// Words in a block: one cache line.
const BLOCK: usize = 8;
const BLOCKS: usize = WORDS / BLOCK;

/// A bitmap over the 2^16 values of a chunk; rank and select look at one block of 512 bits.
#[derive(Clone, Debug)]
#[repr(align(64))]
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

    /// The `n`-th one from 0, of `count` ones in all.
    pub(super) fn select(&self, n: u32, count: u32) -> u16 {
        let block = self.block_of(n, count);
        let left = n - u32::from(self.before[block]);
        // All eight words are counted: the processor would guess the end of a shorter loop wrong most of the time.
        let (mut word, mut skipped, mut ones) = (block * BLOCK, 0, 0);
        for bits in &self.words[block * BLOCK..(block + 1) * BLOCK] {
            ones += bits.count_ones();
            let behind = ones <= left;
            word += usize::from(behind);
            skipped = if behind { ones } else { skipped };
        }
        (word * 64) as u16 + select_in_word(self.words[word], left - skipped)
    }

    /// The block of the `n`-th one, of `count` in all, if they are spread evenly.
    fn likely_block(n: u32, count: u32) -> usize {
        (n as usize * BLOCKS / count as usize).min(BLOCKS - 1)
    }

    /// Reads the memory in which the `n`-th one most likely is.
    pub(super) fn touch(&self, n: u32, count: u32) -> u64 {
        let block = Self::likely_block(n, count);
        u64::from(self.before[block]) ^ self.words[block * BLOCK]
    }

    /// The block of the `n`-th one. The search starts at the likely block: most often that is one away at most, where
    /// halving would wait for one cache line after another.
    fn block_of(&self, n: u32, count: u32) -> usize {
        let mut block = Self::likely_block(n, count);
        while u32::from(self.before[block]) > n {
            block -= 1;
        }
        while block + 1 < BLOCKS && u32::from(self.before[block + 1]) <= n {
            block += 1;
        }
        block
    }

    /// Writes the ones from the `n`-th on into `out`, each added to `base`. There must be enough of them.
    pub(super) fn fill(&self, n: u32, count: u32, base: u64, out: &mut [u64]) {
        let Some(last) = (out.len() as u32).checked_sub(1) else { return };
        debug_assert!(n + last < BITS as u32);
        let first = self.select(n, count);
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

/// The position of the `n`-th one of a word, which must have more: broadword selection (Vigna, "Broadword
/// Implementation of Rank/Select Queries", 2008). Bytes are counted side by side, the byte is found by comparing all
/// eight sums at once.
fn select_in_word(word: u64, n: u32) -> u16 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let sums = ((fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES);
    let behind = (((u64::from(n) * ONES) | TOPS) - sums) & TOPS;
    let place = behind.count_ones() * 8;
    let mut byte = word >> place;
    for _ in 0..u64::from(n) - (sums << 8 >> place & 0xff) {
        byte &= byte - 1;
    }
    (place + byte.trailing_zeros()) as u16
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
