//! The running hash of a row: words in, mixed one by one. `docs/formats/hash.md` describes it to the bit.

use arrow_buffer::i256;

/// The state before the first value: the first 64 bits of the fraction of pi.
const START: u64 = 0x243f_6a88_85a3_08d3;

/// What stands before each value, so that values of different kinds and lengths never give the same words.
mod tag {
    pub(super) const NULL: u64 = 0;
    pub(super) const BOOLEAN: u64 = 1;
    pub(super) const INTEGER: u64 = 2;
    pub(super) const NEGATIVE: u64 = 3;
    pub(super) const FLOAT: u64 = 4;
    pub(super) const DECIMAL: u64 = 5;
    pub(super) const STRING: u64 = 6;
    pub(super) const BINARY: u64 = 7;
    pub(super) const LIST: u64 = 8;
    pub(super) const STRUCT: u64 = 9;
    pub(super) const DATE: u64 = 10;
    pub(super) const TIME: u64 = 11;
    pub(super) const TIMESTAMP: u64 = 12;
    pub(super) const DURATION: u64 = 13;
    pub(super) const INTERVAL: u64 = 14;
}

/// A value of time in nanoseconds, whose kind is part of the hash.
#[derive(Clone, Copy)]
pub(super) enum Clock {
    Time,
    Timestamp,
    Duration,
}

/// The hash of the values so far.
#[derive(Clone, Copy)]
pub(super) struct State(u64);

impl State {
    pub(super) const fn start() -> Self {
        Self(START)
    }

    pub(super) const fn finish(self) -> u64 {
        self.0
    }

    /// Takes one word in. The finaliser of `SplitMix64` (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
    /// Generators", 2014; constants by Stafford, "Better Bit Mixing", variant 13) is a bijection, so that two rows
    /// which differ in one word only never collide.
    const fn word(self, word: u64) -> Self {
        let mut x = self.0 ^ word;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(x ^ (x >> 31))
    }

    pub(super) const fn null(self) -> Self {
        self.word(tag::NULL)
    }

    pub(super) const fn boolean(self, value: bool) -> Self {
        self.word(tag::BOOLEAN).word(value as u64)
    }

    pub(super) const fn unsigned(self, value: u64) -> Self {
        self.word(tag::INTEGER).word(value)
    }

    pub(super) const fn signed(self, value: i64) -> Self {
        let tag = if value < 0 { tag::NEGATIVE } else { tag::INTEGER };
        self.word(tag).word(value.cast_unsigned())
    }

    /// By value: all NaN are one, both zeros are one.
    pub(super) fn float(self, value: f64) -> Self {
        let canonical = if value.is_nan() {
            0x7ff8_0000_0000_0000
        } else if value == 0.0 {
            0
        } else {
            value.to_bits()
        };
        self.word(tag::FLOAT).word(canonical)
    }

    pub(super) fn decimal(self, scale: i8, unscaled: i256) -> Self {
        let state = self.word(tag::DECIMAL).word(i64::from(scale).cast_unsigned());
        state.words(&unscaled.to_le_bytes())
    }

    pub(super) fn string(self, value: &[u8]) -> Self {
        self.word(tag::STRING).word(value.len() as u64).words(value)
    }

    pub(super) fn binary(self, value: &[u8]) -> Self {
        self.word(tag::BINARY).word(value.len() as u64).words(value)
    }

    /// The head of a list; its items follow.
    pub(super) const fn list(self, len: u64) -> Self {
        self.word(tag::LIST).word(len)
    }

    /// The head of a struct; its fields follow.
    pub(super) const fn structure(self, fields: u64) -> Self {
        self.word(tag::STRUCT).word(fields)
    }

    pub(super) const fn date(self, milliseconds: i64) -> Self {
        self.word(tag::DATE).word(milliseconds.cast_unsigned())
    }

    pub(super) const fn clock(self, clock: Clock, nanoseconds: i128) -> Self {
        let tag = match clock {
            Clock::Time => tag::TIME,
            Clock::Timestamp => tag::TIMESTAMP,
            Clock::Duration => tag::DURATION,
        };
        let bits = nanoseconds.cast_unsigned();
        self.word(tag).word(bits as u64).word((bits >> 64) as u64)
    }

    pub(super) fn interval(self, months: i32, days: i32, nanoseconds: i64) -> Self {
        let state = self.word(tag::INTERVAL).word(i64::from(months).cast_unsigned());
        state.word(i64::from(days).cast_unsigned()).word(nanoseconds.cast_unsigned())
    }

    /// Bytes as little-endian words, the last one filled up with zeros.
    fn words(self, bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<8>();
        let state = words.iter().fold(self, |state, word| state.word(u64::from_le_bytes(*word)));
        if rest.is_empty() {
            return state;
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        state.word(u64::from_le_bytes(last))
    }
}
