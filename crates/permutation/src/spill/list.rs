//! Rows listed split by split, in memory or in a temporary file.

use lance_loader_order::{Result, SplitLayout};

use super::options::SpillOptions;
use super::temp_file::{WordFile, WordWriter};
use crate::error::{invalid, outside};
use crate::names::MAX_SPLITS;

/// The write buffer of a list's file.
const BUFFER_BYTES: usize = 64 << 10;

/// The rows of each split, one after the other: 8 bytes a row, in memory or on disk.
#[derive(Debug)]
pub struct RowList {
    store: Store,
    layout: SplitLayout,
}

#[derive(Debug)]
enum Store {
    Memory(Vec<u64>),
    File(WordFile),
}

impl RowList {
    /// Where each split lies in the list.
    pub fn layout(&self) -> &SplitLayout {
        &self.layout
    }

    /// Whether the rows are in a temporary file.
    pub fn is_on_disk(&self) -> bool {
        matches!(self.store, Store::File(_))
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
        match &self.store {
            Store::Memory(rows) => out.copy_from_slice(&rows[start as usize..end as usize]),
            Store::File(file) => file.read_at(start, out)?,
        }
        Ok(())
    }

    /// Replaces each position, counted over all splits, by its row. On disk each position is one small read.
    pub(crate) fn map(&self, positions: &mut [u64]) -> Result<()> {
        let total = self.layout.total();
        for position in positions {
            if *position >= total {
                return Err(outside("position", *position, total));
            }
            *position = match &self.store {
                Store::Memory(rows) => rows[*position as usize],
                Store::File(file) => file.word_at(*position)?,
            };
        }
        Ok(())
    }
}

/// Takes the rows of one split after the other; goes to disk where they pass the memory limit.
pub struct RowListBuilder {
    options: SpillOptions,
    rows: Vec<u64>,
    file: Option<WordWriter>,
    lengths: Vec<u64>,
}

impl RowListBuilder {
    /// An empty list.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the options are not allowed.
    pub fn new(options: SpillOptions) -> Result<Self> {
        options.validate()?;
        Ok(Self { options, rows: Vec::new(), file: None, lengths: Vec::new() })
    }

    /// Adds rows at the end of `split`, which must be the last one that got rows, or a later one.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an earlier split or one above [`MAX_SPLITS`], `WRITE_FAILED` where the file can't be
    /// written.
    pub fn push(&mut self, split: u64, rows: &[u64]) -> Result<()> {
        if split >= MAX_SPLITS as u64 {
            return Err(outside("split", split, MAX_SPLITS as u64));
        }
        let split = split as usize;
        if split + 1 < self.lengths.len() {
            let last = self.lengths.len() - 1;
            return Err(invalid(format!(
                "split {split} comes after split {last}; the rows of a split must be contiguous"
            )));
        }
        self.lengths.resize(split + 1, 0);
        self.lengths[split] += rows.len() as u64;
        self.store(rows)
    }

    /// The finished list, with at least `num_splits` splits; those that got no row are empty.
    ///
    /// # Errors
    /// `WRITE_FAILED` where the file can't be written.
    pub fn finish(mut self, num_splits: usize) -> Result<RowList> {
        if num_splits > self.lengths.len() {
            self.lengths.resize(num_splits, 0);
        }
        let layout = SplitLayout::from_lengths(&self.lengths)?;
        let store = match self.file {
            Some(file) => Store::File(file.finish()?),
            None => Store::Memory(self.rows),
        };
        Ok(RowList { store, layout })
    }

    fn store(&mut self, rows: &[u64]) -> Result<()> {
        if let Some(file) = &mut self.file {
            return file.write(rows);
        }
        // A growing list is copied, so that twice its size may be held for a moment.
        let bytes = (self.rows.len() + rows.len()) as u64 * 16;
        if bytes <= self.options.memory_limit {
            self.rows.extend_from_slice(rows);
            return Ok(());
        }
        let mut file = WordWriter::create(self.options.temp_dir.as_deref(), BUFFER_BYTES)?;
        file.write(&std::mem::take(&mut self.rows))?;
        file.write(rows)?;
        self.file = Some(file);
        Ok(())
    }
}
