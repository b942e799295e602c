//! Rows listed split by split, in memory or in a temporary file.

use lance_loader_order::{Result, SplitLayout};

use super::options::SpillOptions;
use super::targets::in_splits;
use super::words::{Words, WordsBuilder};
use crate::error::outside;
use crate::names::MAX_SPLITS;

/// The read buffer of rows that turn out not to come split by split.
const BUFFER_BYTES: usize = 64 << 10;

/// The rows of each split, one after the other: 8 bytes a row, in memory or on disk.
#[derive(Debug)]
pub struct RowList {
    rows: Words,
    layout: SplitLayout,
}

impl RowList {
    /// `rows` are as many as `layout` says.
    pub(super) const fn new(rows: Words, layout: SplitLayout) -> Self {
        Self { rows, layout }
    }

    /// Where each split lies in the list.
    pub fn layout(&self) -> &SplitLayout {
        &self.layout
    }

    /// Whether the rows are in a temporary file.
    pub fn is_on_disk(&self) -> bool {
        self.rows.is_on_disk()
    }

    /// Fills `out` with the rows from `start` on, counted over all splits.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where they pass the end, `READ_FAILED` where the file can't be read.
    pub(crate) fn range(&self, start: u64, out: &mut [u64]) -> Result<()> {
        let end = start.saturating_add(out.len() as u64);
        if end > self.layout.total() {
            return Err(outside("position", end, self.layout.total()));
        }
        self.rows.read_at(start, out)
    }

    /// Replaces each position, counted over all splits, by its row. On disk each position is one small read.
    pub(crate) fn map(&self, positions: &mut [u64]) -> Result<()> {
        let total = self.layout.total();
        for position in positions {
            if *position >= total {
                return Err(outside("position", *position, total));
            }
            *position = self.rows.word_at(*position)?;
        }
        Ok(())
    }
}

/// Takes the rows of splits and keeps the order inside each; goes to disk where they pass the memory limit.
///
/// Splits that come one after the other are kept as they come: 8 bytes a row. As soon as one comes back, rows are kept
/// with the numbers of their splits, 16 bytes a row, and are put in place at the end, as those of a
/// [`SplitAssigner`](super::SplitAssigner).
pub struct RowListBuilder {
    options: SpillOptions,
    lengths: Vec<u64>,
    rows: WordsBuilder,
    /// Records of (split, row), in place of `rows` once a split came back.
    mixed: Option<WordsBuilder>,
}

impl RowListBuilder {
    /// An empty list.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the options are not allowed.
    pub fn new(options: SpillOptions) -> Result<Self> {
        options.validate()?;
        Ok(Self { lengths: Vec::new(), rows: WordsBuilder::new(options.clone()), mixed: None, options })
    }

    /// Adds rows at the end of `split`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a split of [`MAX_SPLITS`] or above, `WRITE_FAILED` and `READ_FAILED` of temporary files,
    /// `ABORTED`.
    pub fn push(&mut self, split: u64, rows: &[u64]) -> Result<()> {
        if split >= MAX_SPLITS as u64 {
            return Err(outside("split", split, MAX_SPLITS as u64));
        }
        self.options.stop.check()?;
        let at = split as usize;
        if self.mixed.is_none() && at + 1 < self.lengths.len() {
            self.mixed = Some(self.mix()?);
        }
        if at >= self.lengths.len() {
            self.lengths.resize(at + 1, 0);
        }
        self.lengths[at] += rows.len() as u64;
        match &mut self.mixed {
            None => self.rows.push(rows),
            Some(mixed) => rows.iter().try_for_each(|&row| mixed.push(&[split, row])),
        }
    }

    /// The finished list, with at least `num_splits` splits; those that got no row are empty.
    ///
    /// # Errors
    /// `WRITE_FAILED` and `READ_FAILED` of temporary files, `ABORTED`.
    pub fn finish(mut self, num_splits: usize) -> Result<RowList> {
        if num_splits > self.lengths.len() {
            self.lengths.resize(num_splits, 0);
        }
        let layout = SplitLayout::from_lengths(&self.lengths)?;
        match self.mixed {
            None => Ok(RowList::new(self.rows.finish()?, layout)),
            Some(mixed) => in_splits(mixed.finish()?, layout, None, &self.options),
        }
    }

    /// The rows so far with the numbers of their splits.
    fn mix(&mut self) -> Result<WordsBuilder> {
        let empty = WordsBuilder::new(self.options.clone());
        let mut rows = std::mem::replace(&mut self.rows, empty).finish()?.records(BUFFER_BYTES)?;
        let mut mixed = WordsBuilder::new(self.options.clone());
        for (split, &length) in (0..).zip(&self.lengths) {
            for row in rows.by_ref().take(length as usize) {
                let [row] = row?;
                mixed.push(&[split, row])?;
            }
        }
        Ok(mixed)
    }
}
