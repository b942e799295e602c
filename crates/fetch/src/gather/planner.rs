//! One column's part of a plan.

use arrow_buffer::NullBuffer;
use lance_loader_order::{Code, Error, Result};

use super::children::child_ranges;
use super::plan::MOST_ITEMS;
use super::selection::Selection;
use super::step::Step;
use super::{AlignedBuffer, GatherPlan};
use crate::column::{Column, ColumnData, KeyMap, KeyType, Keys, Offsets, damaged};

/// Adds one column of the store, at any depth, to a plan.
pub(super) struct Planner<'p, 'a> {
    plan: &'p mut GatherPlan<'a>,
    /// What errors call the column.
    name: &'p str,
}

impl<'p, 'a> Planner<'p, 'a> {
    /// A planner of the store's column `name`.
    pub(super) fn new(plan: &'p mut GatherPlan<'a>, name: &'p str) -> Self {
        Self { plan, name }
    }

    /// Adds the selected rows of `column`, a column of the store or a child of one.
    pub(super) fn column(&mut self, column: &'a Column, selection: &Selection<'a>) -> Result<()> {
        self.validity(column, selection)?;
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

    /// Begins a node: its length, its nulls, and its validity if its type has one.
    fn validity(&mut self, column: &'a Column, selection: &Selection<'a>) -> Result<()> {
        let len = selection.len() as u64;
        if matches!(column.data(), ColumnData::Null) {
            self.plan.layout.extend([len, len]);
            return Ok(());
        }
        let count = column.nulls().map_or(0, |nulls| selection.count_nulls(nulls));
        self.plan.layout.extend([len, count as u64]);
        match column.nulls() {
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
        let bytes = selection.len().checked_mul(width);
        let bytes = bytes.ok_or_else(|| self.too_large(selection.len() as u128 * width as u128, "bytes"))?;
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
                let key = keys.get(row)?;
                let code = map.code(key)?;
                if *code == KeyMap::UNSEEN {
                    *code = used.len() as u32;
                    used.push(key..key + 1);
                }
                codes.push(*code);
            }
            Some(())
        });
        visited.ok_or_else(|| damaged(self.name, "a key past its dictionary"))?;
        let count = used.len();
        Ok((codes, Selection::ranges(used, count)))
    }

    fn keys(&mut self, codes: Vec<u32>, used: &Selection, key_type: KeyType) -> Result<()> {
        if used.len() as u64 > key_type.codes {
            let (name, used, most) = (self.name, used.len(), key_type.codes);
            let message = format!(
                "column {name:?}: a batch uses {used} dictionary values, more than its keys can tell apart \
                 ({most}): ask for fewer rows in a batch"
            );
            return Err(Error::new(Code::BatchTooLarge, message));
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
            "column {name:?}: a batch of {rows} rows holds {count} {unit}, more than {MOST_ITEMS}: \
             ask for fewer rows in a batch"
        );
        Error::new(Code::BatchTooLarge, message)
    }
}
