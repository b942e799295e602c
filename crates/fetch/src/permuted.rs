//! Rows of a permutation as plans: read in order, by list, or reshuffled in every epoch.

use std::sync::Arc;

use lance_loader_order::{Key, Order, Result, Shuffle, SplitLayout};
use lance_loader_permutation::{Permutation, View};

use crate::epoch::EpochOrder;
use crate::pipeline::RowPlan;

/// The rows of one split of a permutation, or a view of them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SplitRows {
    permutation: Arc<Permutation>,
    split: usize,
    view: View,
}

impl SplitRows {
    /// All rows of a split, in order.
    pub fn new(permutation: Arc<Permutation>, split: usize) -> Self {
        let view = View::new(permutation.len_of(split));
        Self { permutation, split, view }
    }

    /// The same split under another view of its rows.
    #[must_use]
    pub fn with_view(&self, view: View) -> Self {
        Self { view, ..self.clone() }
    }

    pub(crate) const fn permutation(&self) -> &Arc<Permutation> {
        &self.permutation
    }

    pub(crate) const fn split(&self) -> usize {
        self.split
    }

    /// The rows of the whole split.
    pub(crate) fn len(&self) -> u64 {
        self.permutation.len_of(self.split)
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.permutation, &other.permutation)
            && (self.split, &self.view) == (other.split, &other.view)
    }

    /// Which of the split's rows these are.
    pub const fn view(&self) -> &View {
        &self.view
    }

    /// Replaces each index into these rows by the row's ordinal.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where an index is outside, `READ_FAILED` where a list on disk can't be read.
    pub fn ordinals(&self, indices: &mut [u64]) -> Result<()> {
        self.view.map(indices)?;
        self.permutation.map_positions(self.split, indices)
    }
}

/// The rows at some indices, or all rows, of a split, in order.
pub struct RowsInOrder {
    rows: SplitRows,
    /// The indices; none for all of them.
    indices: Option<Vec<u64>>,
    next: u64,
}

impl RowsInOrder {
    /// All rows.
    pub const fn all(rows: SplitRows) -> Self {
        Self { rows, indices: None, next: 0 }
    }

    /// The rows at `indices`, in any order and with repeats.
    pub const fn at(rows: SplitRows, indices: Vec<u64>) -> Self {
        Self { rows, indices: Some(indices), next: 0 }
    }
}

impl RowPlan for RowsInOrder {
    fn remaining(&self) -> u64 {
        self.indices.as_ref().map_or_else(|| self.rows.view.len(), |indices| indices.len() as u64) - self.next
    }

    fn fill(&mut self, rows: &mut [u64]) -> Result<()> {
        match &self.indices {
            None => rows.iter_mut().zip(self.next..).for_each(|(slot, index)| *slot = index),
            Some(indices) => {
                let left = indices.iter().skip(self.next as usize);
                rows.iter_mut().zip(left).for_each(|(slot, index)| *slot = *index);
            }
        }
        self.next += rows.len() as u64;
        self.rows.ordinals(rows)
    }
}

/// An epoch over the rows of one split: an order of them, shuffled or not.
pub struct RowsOrder {
    order: Order,
    rows: SplitRows,
}

impl RowsOrder {
    /// `rows` in the order that `order` gives their indices.
    pub const fn new(order: Order, rows: SplitRows) -> Self {
        Self { order, rows }
    }
}

impl EpochOrder for RowsOrder {
    fn rows(&self, positions: &mut [u64]) -> Result<()> {
        self.order.map_positions(positions)?;
        self.rows.ordinals(positions)
    }
}

/// An epoch over all splits of a permutation, each cut to the length of the shortest, and shuffled by itself.
///
/// Memory: one key for each split.
pub struct SplitsOrder {
    permutation: Arc<Permutation>,
    layout: SplitLayout,
    shuffles: Option<Vec<Shuffle>>,
}

impl SplitsOrder {
    /// Each split in its own order, or shuffled under its own child of `key` in clumps of the given size. Where a split is longer than the
    /// shortest, what a shuffle leaves out is another choice in every epoch.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a clump size of 0.
    pub fn new(permutation: Arc<Permutation>, shuffle: Option<(Key, u64)>) -> Result<Self> {
        let splits = permutation.num_splits();
        let shortest = (0..splits).map(|split| permutation.len_of(split)).min().unwrap_or(0);
        let layout = SplitLayout::from_lengths(&vec![shortest; splits])?;
        let of_splits = |(key, clump_size): (Key, u64)| -> Result<Vec<Shuffle>> {
            let of = |split| Shuffle::new(permutation.len_of(split), clump_size, key.child(split as u64));
            (0..splits).map(of).collect()
        };
        let shuffles = shuffle.map(of_splits).transpose()?;
        Ok(Self { permutation, layout, shuffles })
    }

    /// Where each split lies in the epoch.
    pub const fn layout(&self) -> &SplitLayout {
        &self.layout
    }

    /// The rows that the cut to the shortest split leaves out.
    pub fn dropped(&self) -> u64 {
        let all: u64 = (0..self.layout.num_splits()).map(|split| self.permutation.len_of(split)).sum();
        all - self.layout.total()
    }
}

impl EpochOrder for SplitsOrder {
    fn rows(&self, positions: &mut [u64]) -> Result<()> {
        let length = self.layout.max_len().max(1);
        let mut slots: Vec<(u64, usize)> =
            positions.iter().map(|position| position / length).zip(0..).collect();
        // Splits take turns in an epoch, but a mapping is cheaper for many positions of one split.
        slots.sort_unstable();
        let mut of_split = Vec::new();
        for slots in slots.chunk_by(|left, right| left.0 == right.0) {
            let split = slots.first().map_or(0, |slot| slot.0 as usize);
            of_split.clear();
            of_split.extend(
                slots.iter().filter_map(|slot| positions.get(slot.1)).map(|position| position % length),
            );
            if let Some(shuffle) = self.shuffles.as_ref().and_then(|shuffles| shuffles.get(split)) {
                shuffle.map_positions(&mut of_split)?;
            }
            self.permutation.map_positions(split, &mut of_split)?;
            for (slot, row) in slots.iter().zip(&of_split) {
                if let Some(position) = positions.get_mut(slot.1) {
                    *position = *row;
                }
            }
        }
        Ok(())
    }
}
