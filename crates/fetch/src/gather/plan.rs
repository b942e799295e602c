//! What a batch will look like, before it is written.

use lance_loader_order::{Code, Error, Result};

use super::planner::Planner;
use super::selection::Selection;
use super::sink::Sink;
use super::step::Step;
use super::{AlignedBuffer, Block};
use crate::column::ColumnStore;

/// The most rows, bytes of strings or list items that a column of a batch may hold: what offsets of 32 bits
/// reach.
pub(super) const MOST_ITEMS: usize = i32::MAX as usize;

/// The first pass over the rows of a batch: the size of the batch and the place of every buffer, with nothing
/// copied yet.
pub struct GatherPlan<'a> {
    pub(super) layout: Vec<u64>,
    pub(super) steps: Vec<Step<'a>>,
    pub(super) bytes: usize,
    pub(super) rows: usize,
}

impl<'a> GatherPlan<'a> {
    /// Measures the batch of the rows `rows` of `store`, in that order, duplicates included.
    ///
    /// Takes time in the number of rows, list rows inside of fixed-size lists and dictionary keys, not in
    /// bytes.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE` where rows, or strings, bytes or items of a column pass 2^31 - 1, or where a batch uses more
    /// dictionary values than its keys can tell apart; `READ_FAILED` for a dictionary key past its
    /// dictionary; `INTERNAL` for a row that the store does not have.
    pub fn new(store: &'a ColumnStore, rows: &'a [u32]) -> Result<Self> {
        if rows.len() > MOST_ITEMS {
            let message = format!("a batch of {} rows passes {MOST_ITEMS}: ask for fewer rows", rows.len());
            return Err(Error::new(Code::BatchTooLarge, message));
        }
        if let Some(row) = rows.iter().max().filter(|row| **row as usize >= store.rows()) {
            let message =
                format!("row {row} was asked of a store of {} rows: please report it", store.rows());
            return Err(Error::new(Code::Internal, message));
        }
        let mut plan = Self { layout: Vec::new(), steps: Vec::new(), bytes: 0, rows: rows.len() };
        let selection = Selection::rows(rows);
        for (field, column) in store.schema().fields().iter().zip(store.columns()) {
            Planner::new(&mut plan, field.name()).column(column, &selection)?;
        }
        Ok(plan)
    }

    /// The size of the block in bytes, a multiple of 64.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The second pass: writes the block, into `recycled` if that is large enough, else into fresh memory.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE` if the memory can't be had.
    pub fn gather(self, recycled: Option<AlignedBuffer>) -> Result<Block> {
        let mut sink = Sink::new(recycled, self.bytes)?;
        let written = self.steps.iter().try_for_each(|step| {
            step.write(&mut sink)?;
            sink.pad()
        });
        let data = written.and_then(|()| sink.finish()).filter(|data| data.len() == self.bytes);
        let data = data.ok_or_else(|| {
            Error::new(Code::Internal, "a batch came out other than it was measured: please report it")
        })?;
        Ok(Block::new(data, self.layout, self.rows))
    }
}
