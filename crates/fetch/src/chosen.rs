//! The rows that a permutation chooses from a table, for memory that is to hold no others.

use std::sync::Arc;

use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::{Permutation, RowSet, RowSetBuilder};

use crate::permuted::SplitRows;

/// Rows that are looked at at once.
const AT_ONCE: usize = 8 << 10;
/// Draws of this many times a table's rows leave out so few of them that looking is not worth it.
const NEARLY_ALL: u64 = 4;

/// What an epoch is over.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// The rows of one split, or a view of them.
    Rows(SplitRows),
    /// The rows of all splits.
    Splits(Arc<Permutation>),
}

impl Chosen {
    /// Whether both are the same rows of the same permutation.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rows(own), Self::Rows(other)) => own.is_same(other),
            (Self::Splits(own), Self::Splits(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }

    /// The most distinct rows that there may be, of a table of `num_rows`.
    pub(crate) fn at_most(&self, num_rows: u64) -> u64 {
        self.positions().min(num_rows)
    }

    /// The distinct rows, of a table of `num_rows`; `None` where they are all of it, or nearly.
    ///
    /// Some ten nanoseconds a row, and a bit for each row of the table while it works.
    pub(crate) fn distinct(&self, num_rows: u64) -> Result<Option<RowSet>> {
        if self.positions() / NEARLY_ALL >= num_rows {
            return Ok(None);
        }
        let mut found = Bits::new(num_rows)?;
        match self {
            Self::Rows(rows) if rows.view().len() <= rows.len() => {
                each_piece(rows.view().len(), |start, out| {
                    out.iter_mut().zip(start..).for_each(|(slot, index)| *slot = index);
                    rows.ordinals(out)?;
                    found.insert(out)
                })?;
            }
            // A view that repeats: the rows of the whole split are at most the rows that it skips more.
            Self::Rows(rows) => found.insert_split(rows.permutation(), rows.split())?,
            Self::Splits(permutation) => {
                (0..permutation.num_splits()).try_for_each(|split| found.insert_split(permutation, split))?;
            }
        }
        let set = found.finish()?;
        Ok((set.len() < num_rows).then_some(set))
    }

    /// Positions that are looked at.
    fn positions(&self) -> u64 {
        match self {
            Self::Rows(rows) => rows.view().len().min(rows.len()),
            Self::Splits(permutation) => (0..permutation.num_splits())
                .fold(0, |sum: u64, split| sum.saturating_add(permutation.len_of(split))),
        }
    }
}

fn each_piece(len: u64, mut look: impl FnMut(u64, &mut [u64]) -> Result<()>) -> Result<()> {
    let mut piece = vec![0; AT_ONCE];
    let mut start = 0;
    while start < len {
        piece.truncate(usize::try_from(len - start).unwrap_or(AT_ONCE));
        look(start, &mut piece)?;
        start += piece.len() as u64;
    }
    Ok(())
}

/// A bit for each row of a table.
struct Bits(Vec<u64>);

impl Bits {
    fn new(num_rows: u64) -> Result<Self> {
        let words = usize::try_from(num_rows.div_ceil(64)).map_err(|_| {
            Error::new(Code::Internal, format!("{num_rows} rows are more than this platform can count"))
        })?;
        Ok(Self(vec![0; words]))
    }

    fn insert(&mut self, rows: &[u64]) -> Result<()> {
        for &row in rows {
            let word = self.0.get_mut((row / 64) as usize).ok_or_else(|| {
                Error::new(Code::Internal, format!("the permutation names row {row}, beyond the table's"))
            })?;
            *word |= 1 << (row % 64);
        }
        Ok(())
    }

    fn insert_split(&mut self, permutation: &Permutation, split: usize) -> Result<()> {
        each_piece(permutation.len_of(split), |start, out| {
            permutation.ordinals(split, start, out)?;
            self.insert(out)
        })
    }

    fn finish(self) -> Result<RowSet> {
        let mut set = RowSetBuilder::new();
        for (mut word, first) in self.0.into_iter().zip((0..).step_by(64)) {
            while word != 0 {
                set.push(first + u64::from(word.trailing_zeros()))?;
                word &= word - 1;
            }
        }
        Ok(set.finish())
    }
}
