//! Keys and index-addressable random numbers.
//!
//! Nothing here has a state: the n-th number of a stream is computed from the key and n, so that any part of
//! a stream can be had at once, on any thread, in any order.

/// Added to what a key absorbs, so that zeros do not meet a zero: 2^64 divided by the golden ratio, made odd.
const ABSORB: u64 = 0x9E37_79B9_7F4A_7C15;
/// Added to the index of a draw: another constant than [`ABSORB`], so that draws and children of a key are
/// unrelated.
const DRAW: u64 = 0xD1B5_4A32_D192_ED03;

/// What a key is used for. Each use has its own numbers, so that no two uses of one seed are correlated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Domain {
    /// The shuffle of an epoch.
    Epoch = 1,
    /// The shuffle that a permutation is built with.
    Permutation = 2,
    /// Which rows a random split gives to which split.
    RandomSplit = 3,
    /// Draws with replacement.
    Bootstrap = 4,
    /// The seeds that a transform gets, one a sample.
    SampleSeed = 5,
    /// The rows that an estimate looks at.
    Estimate = 6,
    /// Which source of a mixture gives which sample.
    Mixture = 7,
    /// In which order steps of samples of like length come.
    LengthGroups = 8,
}

/// A key: what makes one stream of numbers, or one shuffle, different from another.
///
/// Keys are made of their inputs one after the other, each through a full avalanche, so that no simple
/// relation of seed and epoch (their sum, for one) leads to the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(u64);

impl Key {
    /// The key of a seed, an epoch and a use. Every seed and every epoch is allowed, 0 included.
    pub const fn derive(seed: u64, epoch: u64, domain: Domain) -> Self {
        Self(0).child(seed).child(epoch).child(domain as u64)
    }

    /// The `n`-th key below this one. Different `n` give different keys.
    #[must_use]
    pub const fn child(self, n: u64) -> Self {
        Self(mix((self.0 ^ mix(n.wrapping_add(ABSORB))).wrapping_add(ABSORB)))
    }

    /// The key as a number, for golden vectors and logs.
    pub const fn to_bits(self) -> u64 {
        self.0
    }
}

/// The `index`-th number of the stream of `key`, uniform over all of u64. O(1).
pub const fn draw(key: Key, index: u64) -> u64 {
    mix(key.0 ^ mix(index.wrapping_add(DRAW)))
}

/// The `index`-th number of the stream of `key`, uniform over `[0, n)`; 0 where `n` is 0.
///
/// Without bias: the high half of a product, and where the low half tells that the draw fell into the
/// surplus, another draw (Lemire 2019, "Fast Random Integer Generation in an Interval"). A further draw has a
/// chance below `n / 2^64`.
pub fn below(key: Key, index: u64, n: u64) -> u64 {
    let (mut low, mut high) = draw(key, index).carrying_mul(n, 0);
    if low < n {
        // 2^64 mod n: that many draws are surplus.
        let surplus = n.wrapping_neg() % n;
        let mut attempts = key;
        while low < surplus {
            attempts = attempts.child(index);
            (low, high) = draw(attempts, index).carrying_mul(n, 0);
        }
    }
    high
}

/// The seed of the sample that stands at `row`, for random augmentations that resume exactly.
///
/// `key` is that of [`Domain::SampleSeed`], so that the seed is a function of (seed, epoch, row) only.
pub const fn sample_seed(key: Key, row: u64) -> u64 {
    draw(key, row)
}

/// The finalizer of `SplitMix64` (Steele, Lea, Flood 2014; constants by Stafford, "Mix13"): a bijection of
/// u64 in which each bit of the input flips each bit of the output with a chance near one half.
const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn seed_and_epoch_are_mixed_and_not_added() {
        let derive = |seed, epoch| Key::derive(seed, epoch, Domain::Epoch);
        assert_ne!(derive(100_003, 0), derive(0, 1));
        assert_ne!(derive(0, 1), derive(1, 0));
        assert_ne!(derive(1 << 53, 0), derive((1 << 53) + 1, 0));
        let corners = [0, 1, 2, 3, 100_003, 1 << 32, 1 << 53, (1 << 53) + 1, u64::MAX - 1, u64::MAX];
        let seeds: HashSet<u64> = (0..300).chain(corners).collect();
        let keys: HashSet<Key> = seeds.iter().flat_map(|s| seeds.iter().map(|e| derive(*s, *e))).collect();
        assert_eq!(keys.len(), seeds.len() * seeds.len());
    }

    #[test]
    fn domains_children_and_draws_are_unrelated() {
        let domains = [
            Domain::Epoch,
            Domain::Permutation,
            Domain::RandomSplit,
            Domain::Bootstrap,
            Domain::SampleSeed,
            Domain::Estimate,
            Domain::Mixture,
            Domain::LengthGroups,
        ];
        let mut seen = HashSet::new();
        for key in domains.map(|domain| Key::derive(7, 0, domain)) {
            for n in 0..1000 {
                assert!(seen.insert(key.child(n).to_bits()) && seen.insert(draw(key, n)));
            }
        }
    }

    /// The share of output bits that flip when one bit of one input flips, the furthest from one half.
    fn worst_flip(function: impl Fn(u64) -> u64) -> f64 {
        let mut worst = 0.0_f64;
        for bit in 0..64 {
            let mut flips = [0_u32; 64];
            for x in 0..4096 {
                let changed = function(x) ^ function(x ^ (1 << bit));
                flips
                    .iter_mut()
                    .enumerate()
                    .for_each(|(at, count)| *count += u32::from(changed >> at & 1 == 1));
            }
            worst = flips.iter().map(|count| (f64::from(*count) / 4096.0 - 0.5).abs()).fold(worst, f64::max);
        }
        worst
    }

    #[test]
    fn every_bit_of_seed_epoch_and_index_reaches_every_bit() {
        let key = Key::derive(0, 0, Domain::Bootstrap);
        assert!(worst_flip(|seed| Key::derive(seed, 0, Domain::Epoch).to_bits()) < 0.05);
        assert!(worst_flip(|epoch| Key::derive(0, epoch, Domain::Epoch).to_bits()) < 0.05);
        assert!(worst_flip(|n| key.child(n).to_bits()) < 0.05);
        assert!(worst_flip(|index| draw(key, index)) < 0.05);
        // The measure can fail: a multiplication carries no high bit down.
        assert!(worst_flip(|x| x.wrapping_mul(ABSORB)) > 0.4);
    }

    #[test]
    fn draws_below_n_are_uniform() {
        let key = Key::derive(1, 2, Domain::Bootstrap);
        for n in [1_u64, 2, 3, 7, 100] {
            let mut counts = vec![0_u32; usize::try_from(n).unwrap()];
            (0..100_000).for_each(|index| counts[usize::try_from(below(key, index, n)).unwrap()] += 1);
            let expected = 1e5 / n as f64;
            let chi: f64 = counts.iter().map(|c| (f64::from(*c) - expected).powi(2) / expected).sum();
            assert!(chi < n as f64 + 5.0 * (2.0 * n as f64).sqrt(), "{n}: {chi}");
        }
    }

    #[test]
    fn the_surplus_of_two_to_the_64_is_drawn_again() {
        // For n = 3 * 2^62 a third of the values would come twice as often from the high half of the product
        // alone.
        let key = Key::derive(3, 0, Domain::Bootstrap);
        let n = 3 << 62;
        let share =
            |number: &dyn Fn(u64) -> u64| (0..30_000).filter(|i| number(*i).is_multiple_of(3)).count();
        assert!(share(&|i| below(key, i, n)).abs_diff(10_000) < 400);
        assert!(share(&|i| draw(key, i).carrying_mul(n, 0).1).abs_diff(10_000) > 2000);
        assert!((0..1000).all(|i| below(key, i, n) < n));
    }

    #[test]
    fn below_nothing_is_zero() {
        assert_eq!(below(Key::derive(0, 0, Domain::Bootstrap), 5, 0), 0);
    }
}
