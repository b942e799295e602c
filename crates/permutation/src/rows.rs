//! The rows that a permutation is made of.

use std::sync::Arc;

use lance_loader_order::Result;

use crate::error::outside;
use crate::row_set::RowSet;

/// The eligible rows of a snapshot, by ordinal: the index of a live row in storage order.
#[derive(Clone, Debug)]
pub enum Rows {
    /// All of `0..n`; takes no memory.
    All(u64),
    /// Those that a filter keeps.
    Set(Arc<RowSet>),
}

impl Rows {
    /// The number of rows.
    pub fn len(&self) -> u64 {
        match self {
            Self::All(rows) => *rows,
            Self::Set(set) => set.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `out` with the ordinals of the rows from the `start`-th on.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where they pass the number of rows.
    pub fn range(&self, start: u64, out: &mut [u64]) -> Result<()> {
        let len = self.len();
        if start.checked_add(out.len() as u64).is_none_or(|end| end > len) {
            return Err(outside("row", start.saturating_add(out.len() as u64), len));
        }
        match self {
            Self::All(_) => out.iter_mut().zip(start..).for_each(|(slot, ordinal)| *slot = ordinal),
            Self::Set(set) => {
                set.select_range(start, out);
            }
        }
        Ok(())
    }

    /// Replaces each index of an eligible row by the row's ordinal.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where an index is not below the number of rows; `indices` are then unchanged.
    pub fn map(&self, indices: &mut [u64]) -> Result<()> {
        let len = self.len();
        match self {
            Self::All(_) => match indices.iter().find(|&&index| index >= len) {
                Some(&index) => Err(outside("row", index, len)),
                None => Ok(()),
            },
            Self::Set(set) => set.select_many(indices).map_err(|index| outside("row", index, len)),
        }
    }
}
