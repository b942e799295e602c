//! The rows of each split in order, computed per position wherever they need not be kept.

mod build;
mod chunks;
#[cfg(test)]
mod tests;

pub use build::SPLIT_COLUMN;
pub use chunks::{Chunk, Chunks};

use lance_loader_order::{Domain, Key, MAX_ROWS, Order, Result, Shuffle, SplitLayout, below};

use crate::config::ShuffleConfig;
use crate::error::{invalid, outside};
use crate::names::validate_names;
use crate::row_set::RowSet;
use crate::rows::Rows;
use crate::spill::RowList;

/// Rows of a snapshot, by ordinal, cut into splits that have an order.
///
/// Memory: O(splits), and what a filter, a hash, a calculation or a list keeps; a random split, a shuffle and a
/// bootstrap of any size keep nothing. Immutable; any number of threads may read at once.
#[derive(Debug)]
pub struct Permutation {
    source: Source,
    layout: SplitLayout,
    shuffle: Option<ShuffleConfig>,
    names: Option<Vec<String>>,
}

/// What the positions of a split stand for.
#[derive(Debug)]
enum Source {
    /// Positions count over all splits: the splits are consecutive pieces of one order of the rows.
    Pieces { rows: Rows, order: Order },
    /// Each split has its own rows.
    Sets(Vec<RowSet>),
    /// Each position is a draw from the stream of its split.
    Draws { rows: Rows, key: Key },
    /// Positions count over all splits of a list.
    List(RowList),
}

impl Permutation {
    /// One split for each set.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for no sets, or names that are not one a split.
    pub fn from_sets(
        sets: Vec<RowSet>,
        shuffle: Option<ShuffleConfig>,
        names: Option<Vec<String>>,
    ) -> Result<Self> {
        let lengths: Vec<u64> = sets.iter().map(RowSet::len).collect();
        Self::new(Source::Sets(sets), &lengths, shuffle, names)
    }

    /// The splits of a list, in the list's order. Names may be fewer than splits: Python `LanceDB` stores such
    /// tables.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for more names than splits.
    pub fn from_list(list: RowList, names: Option<Vec<String>>) -> Result<Self> {
        let layout = list.layout().clone();
        let (given, splits) = (names.as_ref().map_or(0, Vec::len), layout.num_splits());
        if given > splits {
            return Err(invalid(format!(
                "splitNames has {given} names for {splits} splits; give at most one name a split"
            )));
        }
        Ok(Self { source: Source::List(list), layout, shuffle: None, names })
    }

    fn new(
        source: Source,
        lengths: &[u64],
        shuffle: Option<ShuffleConfig>,
        names: Option<Vec<String>>,
    ) -> Result<Self> {
        let layout = SplitLayout::from_lengths(lengths)?;
        if layout.max_len() > MAX_ROWS {
            return Err(invalid(format!(
                "a split has {} rows; at most {MAX_ROWS} are allowed",
                layout.max_len()
            )));
        }
        if let Some(names) = &names {
            validate_names(names, Some(layout.num_splits()))?;
        }
        Ok(Self { source, layout, shuffle, names })
    }

    /// The number of splits; at least 1.
    pub fn num_splits(&self) -> usize {
        self.layout.num_splits()
    }

    /// The number of rows of a split, repeats counted; 0 for a split that there is not.
    pub fn len_of(&self, split: usize) -> u64 {
        self.layout.len_of(split)
    }

    /// The names of the splits, where they have names.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The index of the split of that name.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where there is none, naming those there are.
    pub fn split_named(&self, name: &str) -> Result<usize> {
        let names = self.names.as_deref().unwrap_or_default();
        names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| invalid(format!("split is {name:?}; the permutation's names are {names:?}")))
    }

    /// Fills `out` with the ordinals of the rows at the positions of `split` from `start` on.
    ///
    /// A few nanoseconds a row where the splits are pieces of storage order or of a shuffle; one search a row more
    /// under a filter.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a split that there is not, or positions past its end; `READ_FAILED` where a list on
    /// disk can't be read.
    pub fn ordinals(&self, split: usize, start: u64, out: &mut [u64]) -> Result<()> {
        let end = start.saturating_add(out.len() as u64);
        self.check(split, end)?;
        if self.shuffle.is_some() {
            self.split_order(split)?.indices(start, out)?;
            return self.lookup(split, out);
        }
        let first = self.layout.start_of(split) + start;
        match &self.source {
            Source::Pieces { rows, order: Order::Storage { .. } } => rows.range(first, out),
            Source::Pieces { rows, order } => {
                order.indices(first, out)?;
                rows.map(out)
            }
            Source::Sets(sets) => {
                if let Some(set) = sets.get(split) {
                    set.select_range(start, out);
                }
                Ok(())
            }
            Source::Draws { .. } => {
                out.iter_mut().zip(start..).for_each(|(slot, position)| *slot = position);
                self.lookup(split, out)
            }
            Source::List(list) => list.range(first, out),
        }
    }

    /// Replaces each position of `split` by the ordinal of the row that stands there, in any order and with repeats.
    ///
    /// # Errors
    /// As [`ordinals`](Self::ordinals).
    pub fn map_positions(&self, split: usize, positions: &mut [u64]) -> Result<()> {
        let end = positions.iter().max().map_or(0, |last| last.saturating_add(1));
        self.check(split, end)?;
        if self.shuffle.is_some() {
            self.split_order(split)?.map_positions(positions)?;
        }
        self.lookup(split, positions)
    }

    /// All rows, split by split, in pieces of up to `rows` rows: what a stored table holds.
    pub fn chunks(&self, rows: usize) -> Chunks<&Self> {
        Chunks::new(self, rows)
    }

    /// Replaces indices into the unshuffled split by ordinals. The indices are known to be below the split's length.
    fn lookup(&self, split: usize, indices: &mut [u64]) -> Result<()> {
        let first = self.layout.start_of(split);
        match &self.source {
            Source::Pieces { rows, order } => {
                add(first, indices);
                order.map_positions(indices)?;
                rows.map(indices)
            }
            Source::Sets(sets) => match sets.get(split) {
                Some(set) => set.select_many(indices).map_err(|index| outside("position", index, set.len())),
                None => Ok(()),
            },
            Source::Draws { rows, key } => {
                let (stream, len) = (key.child(split as u64), rows.len());
                for index in indices.iter_mut() {
                    *index = below(stream, *index, len);
                }
                rows.map(indices)
            }
            Source::List(list) => {
                add(first, indices);
                list.map(indices)
            }
        }
    }

    fn split_order(&self, split: usize) -> Result<Shuffle> {
        split_shuffle(self.shuffle.unwrap_or_default(), split, self.len_of(split))
    }

    fn check(&self, split: usize, end: u64) -> Result<()> {
        if split >= self.num_splits() {
            return Err(outside("split", split as u64, self.num_splits() as u64));
        }
        let len = self.len_of(split);
        if end > len {
            return Err(invalid(format!(
                "position {} of split {split} was asked for; the split has {len} rows",
                end - 1
            )));
        }
        Ok(())
    }
}

/// Makes indices into a split indices into all splits.
fn add(first: u64, indices: &mut [u64]) {
    for index in indices {
        *index += first;
    }
}

/// The order of one split of `len` rows: each split has its own key.
pub(crate) fn split_shuffle(shuffle: ShuffleConfig, split: usize, len: u64) -> Result<Shuffle> {
    let key = Key::derive(shuffle.seed, 0, Domain::Permutation).child(split as u64);
    Shuffle::new(len, shuffle.clump_size, key)
}
