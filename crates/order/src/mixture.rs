//! Which of several sources gives which sample of a mixture.
//!
//! Every split of a mixture is an endless sequence of its own, so that ranks need not tell each other
//! anything. In a split, sample number `n` of a source of weight `w` is due at the time `(n + u) / w`, where
//! `u` in `[0, 1)` is drawn for each split, source and `n`; the samples come in the order of their times, those
//! of the first source first where times are equal. (Without the draws this is stride scheduling: Waldspurger and
//! Weihl 1995.) So each source has between `floor(w * t)` and `floor(w * t) + 1` samples up to the time `t`: its
//! share is kept in every split at any moment, not only in the long run.

mod cursor;
#[cfg(test)]
mod tests;

use crate::random::draw;
use crate::{Code, Domain, Error, Key, Result};
pub use cursor::MixtureCursor;
use std::cmp::Ordering;

/// The version of the choice, recorded in states. Whatever changes which source gives which sample must raise it.
pub const MIXTURE_VERSION: u32 = 1;

/// The largest weight: 2^32.
pub const MAX_WEIGHT: u64 = 1 << 32;

/// The largest number of sources of a mixture.
pub const MAX_SOURCES: usize = 1 << 12;

/// The most samples of one split of one source, so that times can be compared exactly in 128 bits.
const MAX_SAMPLES: u64 = 1 << 60;

/// A mixture of sources by weight. Memory: 16 bytes a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mixture {
    weights: Vec<u64>,
    keys: Vec<Key>,
    total_weight: u64,
    num_splits: u64,
}

/// When a sample is due: `numerator / weight`, and among equal times the lowest source.
#[derive(Clone, Copy, Debug)]
struct Due {
    /// The number of the sample, and the draw as 32 bits behind the point.
    numerator: u128,
    weight: u64,
    source: usize,
}

impl Due {
    fn compare(&self, other: &Self) -> Ordering {
        let (left, right) =
            (self.numerator * u128::from(other.weight), other.numerator * u128::from(self.weight));
        left.cmp(&right).then(self.source.cmp(&other.source))
    }
}

impl Mixture {
    /// A mixture in `num_splits` splits of sources with the given weights, of which only the ratio counts; a
    /// source of weight 0 gives nothing. `segment` tells the mixtures of one seed apart.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where there is no source or more than [`MAX_SOURCES`], no weight above 0, a weight above
    /// [`MAX_WEIGHT`], or no split.
    pub fn new(seed: u64, segment: u64, weights: &[u64], num_splits: u64) -> Result<Self> {
        let refuse = |message| Err(Error::new(Code::InvalidArgument, message));
        if weights.is_empty() || weights.len() > MAX_SOURCES {
            return refuse(format!(
                "a mixture has {} datasets: it must have from 1 to {MAX_SOURCES}",
                weights.len()
            ));
        }
        if let Some(weight) = weights.iter().find(|weight| **weight > MAX_WEIGHT) {
            return refuse(format!("a weight is {weight}: it must be at most 2^32"));
        }
        let total_weight = weights.iter().sum();
        if total_weight == 0 || num_splits == 0 {
            return refuse("a mixture needs a split, and a dataset whose weight is above 0".to_string());
        }
        let key = Key::derive(seed, segment, Domain::Mixture);
        let keys = (0..weights.len() as u64).map(|source| key.child(source)).collect();
        Ok(Self { weights: weights.to_vec(), keys, total_weight, num_splits })
    }

    /// The number of sources.
    pub const fn num_sources(&self) -> usize {
        self.weights.len()
    }

    /// The weight of a source; 0 for one that does not exist.
    pub fn weight(&self, source: usize) -> u64 {
        self.weights.get(source).copied().unwrap_or(0)
    }

    /// How many samples each source gives among the first `level` of a split. O(sources^2).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `level` is above 2^60.
    pub fn counts(&self, split: u64, level: u64) -> Result<Vec<u64>> {
        Ok(MixtureCursor::new(self, split, level)?.counts().to_vec())
    }

    /// How many samples of a split come before sample number `n` of `source`; none where its weight is 0.
    /// O(sources).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where that or `n` is above 2^60.
    pub fn level_of(&self, split: u64, source: usize, n: u64) -> Result<Option<u64>> {
        check_samples(n)?;
        let Some(due) = self.due(split, source, n) else {
            return Ok(None);
        };
        let mut level = 0_u64;
        for other in 0..self.num_sources() {
            let before = if other == source { n } else { self.count_before(split, other, &due)? };
            level = level.saturating_add(before);
        }
        check_samples(level)?;
        Ok(Some(level))
    }

    /// The levels until the first source has no more: the most that every split can have without more than
    /// `lengths[source]` samples of any source.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where that is above 2^60.
    pub fn levels_to_first_end(&self, lengths: &[u64]) -> Result<u64> {
        let mut levels = u64::MAX;
        for split in 0..self.num_splits {
            for (source, length) in lengths.iter().enumerate() {
                levels = levels.min(self.level_of(split, source, *length)?.unwrap_or(u64::MAX));
            }
        }
        Ok(levels)
    }

    /// The levels until every source was had whole: the least at which every split has `lengths[source]` samples of
    /// every source that has a weight.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where that is above 2^60.
    pub fn levels_to_last_end(&self, lengths: &[u64]) -> Result<u64> {
        let mut levels = 0;
        for split in 0..self.num_splits {
            for (source, length) in lengths.iter().enumerate() {
                let Some(last) = length.checked_sub(1) else { continue };
                levels = levels.max(self.level_of(split, source, last)?.map_or(0, |level| level + 1));
            }
        }
        Ok(levels)
    }

    /// When sample number `n` of a source is due in a split; never where its weight is 0.
    fn due(&self, split: u64, source: usize, n: u64) -> Option<Due> {
        let (key, weight) = (self.keys.get(source)?, self.weight(source));
        if weight == 0 {
            return None;
        }
        let draw = draw(key.child(split), n) >> 32;
        Some(Due { numerator: u128::from(n) << 32 | u128::from(draw), weight, source })
    }

    /// How many samples of `source` come before `due` in a split.
    fn count_before(&self, split: u64, source: usize, due: &Due) -> Result<u64> {
        // numerator < 2^92 and weight <= 2^32.
        let whole = (due.numerator * u128::from(self.weight(source)) / u128::from(due.weight)) >> 32;
        let whole = u64::try_from(whole).unwrap_or(u64::MAX);
        check_samples(whole)?;
        let next = self.due(split, source, whole);
        Ok(whole + u64::from(next.is_some_and(|next| next.compare(due) == Ordering::Less)))
    }
}

fn check_samples(samples: u64) -> Result<()> {
    if samples <= MAX_SAMPLES {
        return Ok(());
    }
    let message =
        format!("a mixture reaches {samples} samples of one split: 2^60 is the most that can be counted");
    Err(Error::new(Code::InvalidArgument, message))
}
