//! A keyed bijection of `[0, N)`: a shuffle that is computed per position and stored nowhere.
//!
//! A Feistel network over the pairs of `[0, a) x [0, b)`, where `a` is a power of two near the square root of
//! N and `b` the smallest number with `a * b >= N`; what leaves `[0, N)` is sent through again until it comes
//! back ("cycle walking"). Both are from Black and Rogaway 2002, "Ciphers with Arbitrary Finite Domains". Why
//! this one, and the statistics that the number of rounds rests on, are in `docs/design/order.md`.

use crate::{Code, Error, Key, Result, draw};

/// The most rows that an order is computed over: 2^63 - 1, so that no position passes a signed number.
pub const MAX_ROWS: u64 = u64::MAX >> 1;

/// The low 32 bits: each half of a position and each key of a round fits in them, so that products are 32 x
/// 32 to 64 bits, which every vector unit has.
const LOW: u64 = 0xFFFF_FFFF;
/// Odd constants with well-mixed bits (the first primes of `xxHash32` and of `MurmurHash3`).
const FIRST_FACTOR: u64 = 0x9E37_79B1;
const SECOND_FACTOR: u64 = 0x85EB_CA6B;

/// Positions that go through the network side by side. One position is a chain of dependent products; a whole
/// block keeps the processor's multipliers busy and compiles to vector code.
const WIDE: usize = 64;
/// The block for the rest of a slice.
const NARROW: usize = 8;

/// The bounds of [`pairs_of_rounds`].
const MIN_PAIRS: usize = 4;
const MAX_PAIRS: usize = 16;

/// A keyed bijection of `[0, size)`, statistically a uniform shuffle, for every size up to [`MAX_ROWS`].
///
/// Not a cipher: it hides nothing from someone who wants to learn the key.
///
/// Memory: under 600 bytes, whatever the size. Time: constant expected time a position; in slices a few
/// nanoseconds.
#[derive(Clone, Debug)]
pub struct Bijection {
    size: u64,
    /// The low half of a position is below `2^low_bits`.
    low_bits: u32,
    /// The high half of a position is below this.
    high_size: u64,
    pairs: Vec<RoundPair>,
}

/// A round that moves the high half, then one that moves the low half.
#[derive(Clone, Copy, Debug)]
struct RoundPair {
    high: RoundKey,
    low: RoundKey,
}

/// The two 32-bit keys of a round.
#[derive(Clone, Copy, Debug)]
struct RoundKey {
    first: u64,
    second: u64,
}

impl RoundKey {
    const fn new(bits: u64) -> Self {
        Self { first: bits & LOW, second: bits >> 32 }
    }

    /// The round function: 32 bits to 32 bits (the rest of the result is to be masked away). Two keyed
    /// "multiply and fold" steps as in wyhash: both halves of a product together depend on every bit of its
    /// factor.
    #[inline]
    const fn mix(self, half: u64) -> u64 {
        let product = ((half ^ self.first) & LOW) * FIRST_FACTOR;
        let folded = (product ^ (product >> 32) ^ self.second) & LOW;
        let product = folded * SECOND_FACTOR;
        product ^ (product >> 32)
    }
}

impl Bijection {
    /// The bijection of `[0, size)` that belongs to `key`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `size` is above [`MAX_ROWS`].
    pub fn new(size: u64, key: Key) -> Result<Self> {
        check_rows(size)?;
        let bits = u64::BITS - size.saturating_sub(1).leading_zeros();
        let low_bits = bits.div_ceil(2);
        let high_size = size.div_ceil(1 << low_bits).max(1);
        let pairs = pairs_of_rounds(high_size);
        Ok(Self { size, low_bits, high_size, pairs: round_keys(key, pairs) })
    }

    /// The number of positions.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Where `position` is sent.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `position` is not below the size.
    pub fn apply(&self, position: u64) -> Result<u64> {
        check_index("position", position, self.size)?;
        let [image] = self.apply_block([position]);
        Ok(image)
    }

    /// The position that is sent to `image`: the inverse of [`apply`](Self::apply).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `image` is not below the size.
    pub fn invert(&self, image: u64) -> Result<u64> {
        check_index("image", image, self.size)?;
        let [mut position] = self.permute_back([image]);
        while position >= self.size {
            [position] = self.permute_back([position]);
        }
        Ok(position)
    }

    /// Fills `images` with where the positions from `start` on are sent.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the positions pass the size; `images` is then unchanged.
    pub fn apply_range(&self, start: u64, images: &mut [u64]) -> Result<()> {
        check_range(start, images.len(), self.size)?;
        images.iter_mut().zip(start..).for_each(|(image, position)| *image = position);
        self.apply_valid(images);
        Ok(())
    }

    /// Replaces each position by where it is sent.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where a position is not below the size; `positions` are then unchanged.
    pub fn apply_slice(&self, positions: &mut [u64]) -> Result<()> {
        if let Some(position) = positions.iter().max() {
            check_index("position", *position, self.size)?;
        }
        self.apply_valid(positions);
        Ok(())
    }

    /// [`apply_slice`](Self::apply_slice) for positions that are known to be below the size.
    fn apply_valid(&self, positions: &mut [u64]) {
        let (wide, rest) = positions.as_chunks_mut::<WIDE>();
        for block in wide {
            *block = self.apply_block(*block);
        }
        for chunk in rest.chunks_mut(NARROW) {
            let mut block = [0; NARROW];
            block[..chunk.len()].copy_from_slice(chunk);
            chunk.copy_from_slice(&self.apply_block(block)[..chunk.len()]);
        }
    }

    /// Sends a block through the network, and each position that is then outside `[0, size)` through it
    /// again. That ends: the cycle of a position comes back to that position at last, and fewer than
    /// `2^low_bits` pairs are outside.
    #[inline]
    fn apply_block<const N: usize>(&self, block: [u64; N]) -> [u64; N] {
        let mut block = self.permute(block);
        for image in &mut block {
            while *image >= self.size {
                [*image] = self.permute([*image]);
            }
        }
        block
    }

    #[inline]
    fn permute<const N: usize>(&self, block: [u64; N]) -> [u64; N] {
        let (mut high, mut low) = self.halves(block);
        let (size, mask) = (self.high_size & LOW, (1 << self.low_bits) - 1);
        for pair in &self.pairs {
            for (high, low) in high.iter_mut().zip(&low) {
                let shifted = (*high + (((pair.high.mix(*low) & LOW) * size) >> 32)).wrapping_sub(size);
                // Below zero: nothing to wrap, so what was subtracted is added back.
                *high = shifted.wrapping_add(size & (shifted >> 63).wrapping_neg());
            }
            for (low, high) in low.iter_mut().zip(&high) {
                *low = (*low + pair.low.mix(*high)) & mask;
            }
        }
        self.join(high, low)
    }

    /// The rounds of [`permute`](Self::permute) backwards.
    fn permute_back<const N: usize>(&self, block: [u64; N]) -> [u64; N] {
        let (mut high, mut low) = self.halves(block);
        let (size, mask) = (self.high_size & LOW, (1 << self.low_bits) - 1);
        for pair in self.pairs.iter().rev() {
            for (low, high) in low.iter_mut().zip(&high) {
                *low = low.wrapping_sub(pair.low.mix(*high)) & mask;
            }
            for (high, low) in high.iter_mut().zip(&low) {
                let shifted = high.wrapping_sub(((pair.high.mix(*low) & LOW) * size) >> 32);
                *high = shifted.wrapping_add(size & (shifted >> 63).wrapping_neg());
            }
        }
        self.join(high, low)
    }

    #[inline]
    fn halves<const N: usize>(&self, block: [u64; N]) -> ([u64; N], [u64; N]) {
        let mask = (1 << self.low_bits) - 1;
        (block.map(|position| position >> self.low_bits), block.map(|position| position & mask))
    }

    #[inline]
    fn join<const N: usize>(&self, high: [u64; N], mut low: [u64; N]) -> [u64; N] {
        low.iter_mut().zip(high).for_each(|(low, high)| *low |= high << self.low_bits);
        low
    }
}

/// Half the number of rounds for a network whose smaller half has `high_size` values.
///
/// With random round functions, the chance of any relation of two images differs from a true shuffle's by a
/// factor within `1 ± 4 / high_size^(pairs - 2)`. The number of pairs is the least that makes that power 2^19
/// or more, so that some 2^34 epochs would have to be counted to see the difference; tiny tables get as many
/// as is sensible.
fn pairs_of_rounds(high_size: u64) -> usize {
    let mut pairs = 2;
    let mut reached = 1_u64;
    while reached < 1 << 19 && pairs < MAX_PAIRS {
        reached = reached.saturating_mul(high_size);
        pairs += 1;
    }
    pairs.max(MIN_PAIRS)
}

fn round_keys(key: Key, pairs: usize) -> Vec<RoundPair> {
    let round_key = |round| RoundKey::new(draw(key, round));
    (0..pairs as u64)
        .map(|pair| RoundPair { high: round_key(2 * pair), low: round_key(2 * pair + 1) })
        .collect()
}

/// `rows` must be at most [`MAX_ROWS`].
pub(crate) fn check_rows(rows: u64) -> Result<()> {
    if rows <= MAX_ROWS {
        return Ok(());
    }
    let message = format!("there are {rows} rows: an order is computed over at most {MAX_ROWS}");
    Err(Error::new(Code::InvalidArgument, message))
}

/// `value` must be below `size`.
pub(crate) fn check_index(name: &str, value: u64, size: u64) -> Result<()> {
    if value < size {
        return Ok(());
    }
    Err(Error::new(
        Code::InvalidArgument,
        format!("{name} is {value}: it must be below the number of rows, {size}"),
    ))
}

/// `count` positions from `start` on must be below `size`.
pub(crate) fn check_range(start: u64, count: usize, size: u64) -> Result<()> {
    if start.checked_add(count as u64).is_some_and(|end| end <= size) {
        return Ok(());
    }
    let message =
        format!("{count} positions from {start} on: they must end at the number of rows, {size}, or before");
    Err(Error::new(Code::InvalidArgument, message))
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod statistics;
