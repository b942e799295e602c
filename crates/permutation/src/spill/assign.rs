//! Takes the split of each row and gives the permutation, in memory or through temporary files.

use lance_loader_order::{Result, SplitLayout};

use super::options::SpillOptions;
use super::sort::{Numbered, Sorter};
use super::targets::in_splits;
use super::words::WordsBuilder;
use crate::config::ShuffleConfig;
use crate::error::invalid;
use crate::names::MAX_SPLITS;
use crate::permutation::Permutation;
use crate::row_set::{RowSet, RowSetBuilder};

/// Rows that are handed on at once when they were put in order.
const ORDERED_AT_ONCE: usize = 8 << 10;
/// The read buffer of rows that turn out not to be in order.
const BUFFER_BYTES: usize = 64 << 10;

/// Collects the rows of each split: as compressed sets while they fit in the memory limit, in a temporary file beyond
/// it. What comes out does not depend on the order in which rows come, nor on how many come at a time.
///
/// Memory: the limit, and some 600 bytes a split. On disk a row takes 16 bytes for each level of the distribution
/// (one up to 400 million rows under the default limit) and 8 in the finished list. Rows that do not come in storage
/// order are put in order first, which takes the same once more.
pub struct SplitAssigner {
    options: SpillOptions,
    kept: Kept,
    lengths: Vec<u64>,
    names: Option<Vec<String>>,
    shuffle: Option<ShuffleConfig>,
    last: Option<u64>,
    /// Rows since the memory was last summed up.
    unchecked: usize,
}

enum Kept {
    Sets(Vec<RowSetBuilder>),
    /// Records of (split, row), each split's rows ascending.
    Listed(WordsBuilder),
    /// Records of (row, split), in any order.
    Disordered(Sorter),
}

impl SplitAssigner {
    /// For `num_splits` splits, or as many as the split numbers ask for.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the options are not allowed.
    pub(crate) fn new(
        num_splits: Option<usize>,
        names: Option<Vec<String>>,
        shuffle: Option<ShuffleConfig>,
        options: SpillOptions,
    ) -> Result<Self> {
        options.validate()?;
        Ok(Self {
            options,
            kept: Kept::Sets(Vec::new()),
            lengths: vec![0; num_splits.unwrap_or(0)],
            names,
            shuffle,
            last: None,
            unchecked: 0,
        })
    }

    /// Adds rows with the numbers of their splits; `None` drops a row. Each row comes once, in any order; in storage order
    /// is cheapest. Call it a batch at a time: the memory is bounded between calls. After an error there is nothing to
    /// be done but to start anew.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for lists of unequal length, or the number of a split that there is not; `WRITE_FAILED` and
    /// `READ_FAILED` of temporary files, `ABORTED`.
    pub fn push(&mut self, ordinals: &[u64], splits: &[Option<u64>]) -> Result<()> {
        if ordinals.len() != splits.len() {
            let (rows, numbers) = (ordinals.len(), splits.len());
            return Err(invalid(format!("{numbers} split numbers came for {rows} rows; each row needs one")));
        }
        self.options.stop.check()?;
        for (&ordinal, &split) in ordinals.iter().zip(splits) {
            if self.last.is_some_and(|last| ordinal <= last) {
                self.give_up_order()?;
            }
            self.last = self.last.max(Some(ordinal));
            if let Some(split) = split {
                self.keep(ordinal, split)?;
            }
        }
        self.unchecked += ordinals.len();
        self.bound_memory()
    }

    /// The permutation of all rows so far.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a row that came twice; `WRITE_FAILED` and `READ_FAILED` of temporary files, `ABORTED`.
    pub fn finish(mut self) -> Result<Permutation> {
        let splits = self.lengths.len().max(1);
        self.lengths.resize(splits, 0);
        match self.kept {
            Kept::Sets(mut sets) => {
                sets.resize_with(splits, RowSetBuilder::new);
                let sets = sets.into_iter().map(RowSetBuilder::finish).collect();
                Permutation::from_sets(sets, self.shuffle, self.names)
            }
            Kept::Listed(pairs) => {
                let layout = SplitLayout::from_lengths(&self.lengths)?;
                let list = in_splits(pairs.finish()?, layout, self.shuffle, &self.options)?;
                Permutation::from_list(list, self.names)
            }
            Kept::Disordered(pairs) => {
                let options = self.options.with_limit(self.options.memory_limit / 2);
                let mut ordered = Self::new(Some(splits), self.names, self.shuffle, options)?;
                push_ordered(&mut ordered, pairs.finish()?)?;
                ordered.finish()
            }
        }
    }

    fn keep(&mut self, ordinal: u64, split: u64) -> Result<()> {
        let at = self.split_index(split)?;
        self.lengths[at] += 1;
        match &mut self.kept {
            Kept::Sets(sets) => {
                if at >= sets.len() {
                    sets.resize_with(at + 1, RowSetBuilder::new);
                }
                sets[at].push(ordinal)
            }
            Kept::Listed(pairs) => pairs.push(&[split, ordinal]),
            Kept::Disordered(pairs) => pairs.push([ordinal, split]),
        }
    }

    fn split_index(&mut self, split: u64) -> Result<usize> {
        let at = usize::try_from(split).unwrap_or(usize::MAX);
        if let Some(names) = &self.names
            && at >= names.len()
        {
            let count = names.len();
            return Err(invalid(format!(
                "calculation gives split {split}, but splitNames has {count} names, for splits below {count}"
            )));
        }
        if at >= MAX_SPLITS {
            return Err(invalid(format!("calculation gives split {split}; it must be below {MAX_SPLITS}")));
        }
        if at >= self.lengths.len() {
            self.lengths.resize(at + 1, 0);
        }
        Ok(at)
    }

    /// Goes to disk where the sets pass the limit. Summing up is paid for by the rows since the last time.
    fn bound_memory(&mut self) -> Result<()> {
        let Kept::Sets(sets) = &mut self.kept else { return Ok(()) };
        if self.unchecked < sets.len() {
            return Ok(());
        }
        self.unchecked = 0;
        let bytes: usize = sets.iter().map(RowSetBuilder::memory_bytes).sum();
        if bytes as u64 <= self.options.memory_limit {
            return Ok(());
        }
        let mut pairs = WordsBuilder::new(self.options.with_limit(1));
        each_row(std::mem::take(sets), |split, ordinal| pairs.push(&[split, ordinal]))?;
        self.kept = Kept::Listed(pairs);
        Ok(())
    }

    /// Keeps the rows so far, and all that come, in a form that has no order.
    fn give_up_order(&mut self) -> Result<()> {
        if matches!(self.kept, Kept::Disordered(_)) {
            return Ok(());
        }
        let mut pairs = Sorter::new(self.options.with_limit(self.options.memory_limit / 2));
        match std::mem::replace(&mut self.kept, Kept::Sets(Vec::new())) {
            Kept::Sets(sets) => each_row(sets, |split, ordinal| pairs.push([ordinal, split]))?,
            Kept::Listed(listed) => {
                for pair in listed.finish()?.records(BUFFER_BYTES)? {
                    let [split, ordinal] = pair?;
                    pairs.push([ordinal, split])?;
                }
            }
            Kept::Disordered(_) => {}
        }
        self.kept = Kept::Disordered(pairs);
        Ok(())
    }
}

fn each_row(sets: Vec<RowSetBuilder>, mut keep: impl FnMut(u64, u64) -> Result<()>) -> Result<()> {
    let finished = sets.into_iter().map(RowSetBuilder::finish);
    (0..)
        .zip(finished)
        .try_for_each(|(split, set): (u64, RowSet)| set.iter().try_for_each(|ordinal| keep(split, ordinal)))
}

/// Gives records that ascend to `assigner`, some at a time.
fn push_ordered(assigner: &mut SplitAssigner, records: impl Iterator<Item = Result<Numbered>>) -> Result<()> {
    let (mut ordinals, mut splits) = (Vec::new(), Vec::new());
    let mut last = None;
    for record in records {
        let [ordinal, split] = record?;
        if last == Some(ordinal) {
            return Err(invalid(format!("row {ordinal} came twice; each row must come once")));
        }
        last = Some(ordinal);
        ordinals.push(ordinal);
        splits.push(Some(split));
        if ordinals.len() == ORDERED_AT_ONCE {
            assigner.push(&ordinals, &splits)?;
            ordinals.clear();
            splits.clear();
        }
    }
    assigner.push(&ordinals, &splits)
}
