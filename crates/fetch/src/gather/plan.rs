//! What a batch will look like, before it is written.

use arrow_buffer::NullBuffer;
use lance_loader_order::{Code, Error, Result};

use super::children::child_ranges;
use super::selection::Selection;
use super::sink::Sink;
use super::step::Step;
use super::{AlignedBuffer, Block};
use crate::column::{Column, ColumnData, ColumnStore, KeyMap, KeyType, Keys, Offsets, damaged};

/// The most strings' bytes or list items that a batch may hold in one column: what offsets of 32 bits reach.
const MOST_ITEMS: usize = i32::MAX as usize;

/// The first pass over the rows of a batch: the size of the batch and the place of every buffer, with nothing copied yet.
pub struct GatherPlan<'a> {
    layout: Vec<u64>,
    steps: Vec<Step<'a>>,
    bytes: usize,
    rows: usize,
}

impl<'a> GatherPlan<'a> {
    /// Measures the batch of the rows `rows` of `store`, in that order, duplicates included.
    ///
    /// Takes time in the number of rows, list rows inside of fixed-size lists and dictionary keys, not in bytes.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE` where strings, bytes or items of a column pass 2^31 - 1, or where a batch uses more dictionary values than its
    /// keys can tell apart; `READ_FAILED` for a dictionary key past its dictionary; `INTERNAL` for a row that the store does not have.
    pub fn new(store: &'a ColumnStore, rows: &'a [u32]) -> Result<Self> {
        if let Some(row) = rows.iter().max().filter(|row| **row as usize >= store.rows()) {
            let message =
                format!("row {row} was asked of a store of {} rows: please report it", store.rows());
            return Err(Error::new(Code::Internal, message));
        }
        let mut plan = Self { layout: Vec::new(), steps: Vec::new(), bytes: 0, rows: rows.len() };
        let selection = Selection::rows(rows);
        for (field, column) in store.schema().fields().iter().zip(store.columns()) {
            Planner { plan: &mut plan, name: field.name() }.column(column, &selection)?;
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

/// Adds one column of the store, at any depth, to a plan.
struct Planner<'p, 'a> {
    plan: &'p mut GatherPlan<'a>,
    /// What errors call the column.
    name: &'p str,
}

impl<'a> Planner<'_, 'a> {
    fn column(&mut self, column: &'a Column, selection: &Selection<'a>) -> Result<()> {
        if matches!(column.data(), ColumnData::Null) {
            let len = selection.len() as u64;
            self.plan.layout.extend([len, len]);
            return Ok(());
        }
        self.validity(column.nulls(), selection)?;
        match column.data() {
            ColumnData::Null => Ok(()),
            ColumnData::Bits(source) => {
                let step = Step::Bits { source, selection: selection.clone() };
                self.buffer(selection.len().div_ceil(8), step)
            }
            ColumnData::Fixed { width, values } => self.values(values, *width, selection.clone()),
            ColumnData::Var { offsets, bytes } => {
                let children = self.offsets(offsets, selection, "bytes")?;
                self.values(bytes, 1, children)
            }
            ColumnData::List { offsets, items } => {
                let children = self.offsets(offsets, selection, "items")?;
                self.column(items, &children)
            }
            ColumnData::FixedList { size, items } => {
                let children = selection.scaled(*size).filter(|items| items.len() <= MOST_ITEMS);
                let children = children
                    .ok_or_else(|| self.too_large(selection.len() as u128 * *size as u128, "items"))?;
                self.column(items, &children)
            }
            ColumnData::Struct(fields) => fields.iter().try_for_each(|field| self.column(field, selection)),
            ColumnData::Dictionary { keys, key_type, values } => {
                let nulls = column.nulls();
                let (codes, used) = self.codes(keys, nulls, values, selection)?;
                self.keys(codes, &used, *key_type)?;
                self.column(values, &used)
            }
        }
    }

    fn validity(&mut self, nulls: Option<&'a NullBuffer>, selection: &Selection<'a>) -> Result<()> {
        let count = nulls.map_or(0, |nulls| selection.count_nulls(nulls));
        self.plan.layout.extend([selection.len() as u64, count as u64]);
        match nulls {
            Some(nulls) if count > 0 => {
                let step = Step::Bits { source: nulls.inner(), selection: selection.clone() };
                self.buffer(selection.len().div_ceil(8), step)
            }
            _ => {
                self.plan.layout.extend([0, 0]);
                Ok(())
            }
        }
    }

    fn values(&mut self, source: &'a [u8], width: usize, selection: Selection<'a>) -> Result<()> {
        let bytes = selection.len().checked_mul(width).ok_or_else(|| self.too_large(u128::MAX, "bytes"))?;
        self.buffer(bytes, Step::Values { source, width, selection })
    }

    /// Adds the offsets of strings or lists and gives the selection of their bytes or items.
    fn offsets(
        &mut self,
        source: &'a Offsets,
        selection: &Selection<'a>,
        unit: &str,
    ) -> Result<Selection<'a>> {
        let (ranges, count) =
            child_ranges(source, selection).ok_or_else(|| damaged(self.name, "fewer offsets than rows"))?;
        if count > MOST_ITEMS {
            return Err(self.too_large(count as u128, unit));
        }
        let bytes = (selection.len() + 1) * size_of::<i32>();
        self.buffer(bytes, Step::Offsets { source, selection: selection.clone() })?;
        Ok(Selection::ranges(ranges, count))
    }

    /// Renumbers dictionary keys by first use and gives the values that are used.
    fn codes(
        &self,
        keys: &Keys,
        nulls: Option<&NullBuffer>,
        values: &Column,
        selection: &Selection,
    ) -> Result<(Vec<u32>, Selection<'a>)> {
        let mut codes = Vec::with_capacity(selection.len());
        let mut used = Vec::new();
        let mut map = KeyMap::new(values.len(), selection.len());
        let visited = selection.try_for_each(|rows| {
            for row in rows {
                if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                    codes.push(0);
                    continue;
                }
                let key = keys.get(row).filter(|key| *key < values.len())?;
                let fresh = || {
                    used.push(key..key + 1);
                    Ok(used.len() as u32 - 1)
                };
                codes.push(map.code(key, fresh).ok()?);
            }
            Some(())
        });
        visited.ok_or_else(|| damaged(self.name, "a key past its dictionary"))?;
        let count = used.len();
        Ok((codes, Selection::ranges(used, count)))
    }

    fn keys(&mut self, codes: Vec<u32>, used: &Selection, key_type: KeyType) -> Result<()> {
        if used.len() as u64 > key_type.codes {
            return Err(Error::new(
                Code::BatchTooLarge,
                format!(
                    "column {:?}: a batch uses {} dictionary values, more than its keys can tell apart ({}): ask for fewer rows in a batch",
                    self.name,
                    used.len(),
                    key_type.codes
                ),
            ));
        }
        let width = key_type.width;
        self.buffer(codes.len().saturating_mul(width), Step::Keys { codes, width })
    }

    /// Places a buffer of `bytes` bytes behind those that are placed already.
    fn buffer(&mut self, bytes: usize, step: Step<'a>) -> Result<()> {
        if bytes == 0 {
            self.plan.layout.extend([0, 0]);
            return Ok(());
        }
        let end = self
            .plan
            .bytes
            .checked_add(bytes)
            .and_then(|end| end.checked_next_multiple_of(AlignedBuffer::ALIGNMENT));
        let end = end.ok_or_else(|| self.too_large(bytes as u128, "bytes"))?;
        self.plan.layout.extend([self.plan.bytes as u64, bytes as u64]);
        self.plan.bytes = end;
        self.plan.steps.push(step);
        Ok(())
    }

    fn too_large(&self, count: u128, unit: &str) -> Error {
        let (name, rows) = (self.name, self.plan.rows);
        let message = format!(
            "column {name:?}: a batch of {rows} rows holds {count} {unit}, more than {MOST_ITEMS}: ask for fewer rows in a batch"
        );
        Error::new(Code::BatchTooLarge, message)
    }
}
