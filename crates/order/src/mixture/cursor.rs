//! A walk along one split of a mixture.

use super::{Due, Mixture, check_samples};
use crate::Result;
use std::cmp::Ordering;

/// A place in one split of a mixture. Memory: 40 bytes a source.
#[derive(Clone, Debug)]
pub struct MixtureCursor<'a> {
    mixture: &'a Mixture,
    split: u64,
    counts: Vec<u64>,
    /// When the next sample of each source is due.
    next: Vec<Option<Due>>,
}

impl<'a> MixtureCursor<'a> {
    /// Behind the first `level` samples of a split. O(sources^2).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `level` is above 2^60.
    pub fn new(mixture: &'a Mixture, split: u64, level: u64) -> Result<Self> {
        check_samples(level)?;
        let counts = mixture.counts_at_time(split, level);
        let next = counts.iter().enumerate().map(|(source, n)| mixture.due(split, source, *n)).collect();
        let mut cursor = Self { mixture, split, counts, next };
        let reached: u64 = cursor.counts.iter().sum();
        for _ in reached..level {
            cursor.advance();
        }
        Ok(cursor)
    }

    /// How many samples each source has given up to here.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The source of the next sample, and the number of that sample in its split of the source. O(sources).
    pub fn advance(&mut self) -> (usize, u64) {
        let earliest = self.next.iter().flatten().min_by(|left, right| left.compare(right));
        // A mixture has a source with a weight, whose next sample is always due.
        let source = earliest.map_or(0, |due| due.source);
        let n = self.counts.get(source).copied().unwrap_or(0);
        if let (Some(count), Some(next)) = (self.counts.get_mut(source), self.next.get_mut(source)) {
            *count += 1;
            *next = self.mixture.due(self.split, source, *count);
        }
        (source, n)
    }
}

impl Mixture {
    /// The counts of each source at a time by which at most `level` samples of a split are due, and fewer only by
    /// twice the number of sources.
    fn counts_at_time(&self, split: u64, level: u64) -> Vec<u64> {
        // Up to the time t a source has at most `weight * t + 1` samples, and all together `total_weight * t + sources`.
        let time = u128::from(level.saturating_sub(self.num_sources() as u64));
        let total = u128::from(self.total_weight);
        let count = |(source, weight): (usize, &u64)| {
            let due = time * u128::from(*weight);
            let (whole, rest) = ((due / total) as u64, due % total);
            let draw = self.due(split, source, whole).map_or(0, |due| due.numerator & 0xFFFF_FFFF);
            whole + u64::from(*weight > 0 && (draw * total).cmp(&(rest << 32)) == Ordering::Less)
        };
        self.weights.iter().enumerate().map(count).collect()
    }
}
