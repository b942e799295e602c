//! How the positions of an epoch are cut into splits.

use crate::{Code, Error, Result};

/// What happens to the rows that are left when the splits can't be of equal length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Remainder {
    /// They are left out of the epoch: all splits are of one length.
    #[default]
    Drop,
    /// The first splits have one more each.
    Keep,
}

/// The splits of an epoch: consecutive ranges of its positions.
///
/// Memory: eight bytes a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitLayout {
    /// Where each split starts, and behind the last one where it ends.
    starts: Vec<u64>,
    dropped: u64,
}

impl SplitLayout {
    /// `num_splits` splits of equal length over `rows` positions; they differ by one with
    /// [`Remainder::Keep`].
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `num_splits` is 0, `TOO_FEW_ROWS` where there are fewer rows than splits.
    pub fn new(rows: u64, num_splits: usize, remainder: Remainder) -> Result<Self> {
        if num_splits == 0 {
            return Err(Error::new(Code::InvalidArgument, "numSplits is 0: it must be at least 1"));
        }
        let splits = num_splits as u64;
        if rows < splits {
            let way = match rows {
                0 => "use a table with rows, or a filter that keeps some".to_string(),
                _ => format!("lower numSplits to at most {rows}, or use a filter that keeps more rows"),
            };
            let message =
                format!("there are {rows} rows for {num_splits} splits, and each split needs one: {way}");
            return Err(Error::new(Code::TooFewRows, message));
        }
        let (length, surplus) = (rows / splits, rows % splits);
        let (longer, dropped) = match remainder {
            Remainder::Drop => (0, surplus),
            Remainder::Keep => (surplus, 0),
        };
        let starts = (0..=splits).map(|split| split * length + split.min(longer)).collect();
        Ok(Self { starts, dropped })
    }

    /// Splits of the given lengths, one after the other: those of a split strategy, or of a stored
    /// permutation.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where there is no split, or the lengths add up to more than 2^64 - 1.
    pub fn from_lengths(lengths: &[u64]) -> Result<Self> {
        if lengths.is_empty() {
            return Err(Error::new(
                Code::InvalidArgument,
                "split lengths are empty: there must be at least one split",
            ));
        }
        let mut end = 0_u64;
        let mut starts = vec![end];
        for (split, length) in lengths.iter().enumerate() {
            end = end.checked_add(*length).ok_or_else(|| {
                let message = format!("split lengths up to split {split} add up to more than 2^64 - 1 rows");
                Error::new(Code::InvalidArgument, message)
            })?;
            starts.push(end);
        }
        Ok(Self { starts, dropped: 0 })
    }

    /// The number of splits.
    pub const fn num_splits(&self) -> usize {
        self.starts.len() - 1
    }

    /// The first position of a split; of a split that does not exist, the end of the epoch.
    pub fn start_of(&self, split: usize) -> u64 {
        self.starts.get(split).copied().unwrap_or_else(|| self.total())
    }

    /// The number of samples of a split; 0 for a split that does not exist.
    pub fn len_of(&self, split: usize) -> u64 {
        self.start_of(split.saturating_add(1)) - self.start_of(split)
    }

    /// The split of a position and the number of its sample in that split. O(log splits).
    pub fn split_of(&self, position: u64) -> (usize, u64) {
        let split = self.starts.partition_point(|start| *start <= position).saturating_sub(1);
        (split, position - self.start_of(split))
    }

    /// The number of samples of the longest split.
    pub fn max_len(&self) -> u64 {
        (0..self.num_splits()).map(|split| self.len_of(split)).max().unwrap_or(0)
    }

    /// The number of samples of all splits together.
    pub fn total(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The number of rows that no split has: below the number of splits.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lengths(layout: &SplitLayout) -> Vec<u64> {
        (0..layout.num_splits()).map(|split| layout.len_of(split)).collect()
    }

    #[test]
    fn surplus_rows_are_dropped_or_go_to_the_first_splits() {
        let drop = SplitLayout::new(11, 4, Remainder::Drop).unwrap();
        assert_eq!((lengths(&drop), drop.total(), drop.dropped(), drop.max_len()), (vec![2; 4], 8, 3, 2));
        let keep = SplitLayout::new(11, 4, Remainder::Keep).unwrap();
        assert_eq!(
            (lengths(&keep), keep.total(), keep.dropped(), keep.max_len()),
            (vec![3, 3, 3, 2], 11, 0, 3)
        );
    }

    #[test]
    fn too_few_rows_or_no_split_is_an_error() {
        for remainder in [Remainder::Drop, Remainder::Keep] {
            let error = SplitLayout::new(2, 64, remainder).unwrap_err();
            assert_eq!(error.code(), Code::TooFewRows);
            assert!(error.message().contains("2 rows for 64 splits"));
            assert_eq!(SplitLayout::new(2, 0, remainder).unwrap_err().code(), Code::InvalidArgument);
        }
        assert_eq!(SplitLayout::from_lengths(&[]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(SplitLayout::from_lengths(&[u64::MAX, 1]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn a_split_that_does_not_exist_is_empty() {
        let layout = SplitLayout::from_lengths(&[3, 0, 5]).unwrap();
        assert_eq!((layout.start_of(3), layout.len_of(3), layout.len_of(usize::MAX)), (8, 0, 0));
    }

    proptest! {
        #[test]
        fn splits_are_consecutive_and_cover_all_but_the_dropped(
            num_splits in 1_usize..200, more in 0..u64::MAX - 200, keep: bool,
        ) {
            let rows = num_splits as u64 + more;
            let remainder = if keep { Remainder::Keep } else { Remainder::Drop };
            let layout = SplitLayout::new(rows, num_splits, remainder)?;
            let lengths = lengths(&layout);
            prop_assert_eq!(lengths.len(), num_splits);
            prop_assert_eq!(layout.total() + layout.dropped(), rows);
            prop_assert!(layout.dropped() < num_splits as u64 && !(keep && layout.dropped() > 0));
            prop_assert!(lengths.is_sorted_by(|a, b| a >= b));
            prop_assert!(lengths[0] - lengths[num_splits - 1] <= u64::from(keep));
            let starts = lengths.iter().scan(0, |end, length| Some(std::mem::replace(end, *end + length)));
            prop_assert!(starts.eq((0..num_splits).map(|split| layout.start_of(split))));
            for (split, length) in lengths.iter().enumerate() {
                let last = length - 1;
                prop_assert_eq!(layout.split_of(layout.start_of(split)), (split, 0));
                prop_assert_eq!(layout.split_of(layout.start_of(split) + last), (split, last));
            }
            prop_assert_eq!(SplitLayout::from_lengths(&lengths)?.starts, layout.starts);
        }
    }
}
