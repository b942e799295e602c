//! Levels of an epoch that are left out.

use crate::{Code, Error, Result};

/// Ranges of levels that no split yields. The samples of a split that are left are numbered without gaps.
///
/// Memory: 24 bytes a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    ranges: Vec<Gap>,
}

/// The levels of one range, and how many are left out before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gap {
    start: u64,
    end: u64,
    before: u64,
}

impl LeftOut {
    /// Leaves out ranges of levels, `start` included and `end` not, in any order; they may touch and overlap.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where a range ends before it starts.
    pub fn new(ranges: &[(u64, u64)]) -> Result<Self> {
        let mut sorted = ranges.to_vec();
        sorted.sort_unstable();
        let mut merged: Vec<Gap> = Vec::new();
        for (start, end) in sorted {
            if end < start {
                let message =
                    format!("a range of levels to leave out ends at {end}, before its start {start}");
                return Err(Error::new(Code::InvalidArgument, message));
            }
            match merged.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                last => {
                    let before = last.map_or(0, |last| last.before + (last.end - last.start));
                    merged.push(Gap { start, end, before });
                }
            }
        }
        merged.retain(|gap| gap.start < gap.end);
        Ok(Self { ranges: merged })
    }

    /// Whether nothing is left out.
    pub const fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many of the levels below `level` are left. O(log ranges).
    pub fn left_below(&self, level: u64) -> u64 {
        let passed = self.ranges.partition_point(|gap| gap.start < level);
        let gap = passed.checked_sub(1).and_then(|last| self.ranges.get(last));
        level - gap.map_or(0, |gap| gap.before + (gap.end.min(level) - gap.start))
    }

    /// The level of sample number `n` of those that are left. O(log ranges).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where that is above 2^64 - 1.
    pub fn level_of(&self, n: u64) -> Result<u64> {
        self.beyond(self.ranges.partition_point(|gap| gap.start - gap.before <= n), n)
    }

    /// Up to which level a split has come that has yielded `n` of the samples that are left; the levels left out behind
    /// the last of them are not passed yet. O(log ranges).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where that is above 2^64 - 1.
    pub fn level_after(&self, n: u64) -> Result<u64> {
        self.beyond(self.ranges.partition_point(|gap| gap.start - gap.before < n), n)
    }

    /// `n`, and all that the first `passed` ranges leave out.
    fn beyond(&self, passed: usize, n: u64) -> Result<u64> {
        let gap = passed.checked_sub(1).and_then(|last| self.ranges.get(last));
        let left_out = gap.map_or(0, |gap| gap.before + (gap.end - gap.start));
        n.checked_add(left_out).ok_or_else(|| {
            let message =
                format!("sample {n} of a split lies beyond level 2^64 - 1 where so much is left out");
            Error::new(Code::InvalidArgument, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_left_is_numbered_without_gaps(
            ranges in prop::collection::vec((0_u64..60, 0_u64..12), 0..6),
        ) {
            let ranges: Vec<(u64, u64)> = ranges.into_iter().map(|(start, len)| (start, start + len)).collect();
            let left_out = LeftOut::new(&ranges)?;
            let is_left = |level: &u64| !ranges.iter().any(|(start, end)| (start..end).contains(&level));
            let left: Vec<u64> = (0..100).filter(is_left).collect();
            prop_assert_eq!(left_out.is_empty(), left.len() == 100);
            for level in 0..100 {
                let expected = left.iter().filter(|kept| **kept < level).count() as u64;
                prop_assert_eq!(left_out.left_below(level), expected);
            }
            for (n, level) in (0_u64..).zip(&left) {
                prop_assert_eq!(left_out.level_of(n)?, *level);
                prop_assert_eq!(left_out.level_after(n + 1)?, level + 1);
                prop_assert_eq!(left_out.left_below(left_out.level_after(n)?), n);
            }
            prop_assert_eq!(left_out.level_after(0)?, 0);
        }
    }

    #[test]
    fn what_is_no_range_or_passes_the_numbers_is_an_error() {
        assert_eq!(LeftOut::new(&[(3, 2)]).unwrap_err().code(), Code::InvalidArgument);
        let left_out = LeftOut::new(&[(0, u64::MAX)]).unwrap();
        assert_eq!(left_out.level_of(0).unwrap(), u64::MAX);
        assert_eq!(left_out.level_of(1).unwrap_err().code(), Code::InvalidArgument);
    }
}
