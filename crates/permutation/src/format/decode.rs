//! Reads the rows of a permutation table, with every rule of the format checked.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Schema};
use lance_loader_order::{Result, SplitLayout};

use super::{ROW_ID, SPLIT_ID, TableInfo};
use crate::error::invalid;
use crate::names::MAX_SPLITS;
use crate::split_numbers::split_numbers;

/// Rows of one split, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitRun {
    /// The split.
    pub split: u64,
    /// Its next row ids.
    pub row_ids: Vec<u64>,
}

/// Takes the batches of a permutation table in stored order.
///
/// Python `LanceDB` stores the value of a calculated split as it came: `split_id` may be any integer type, and rows
/// whose value is null or negative belong to no split. They are passed over, as it does. Other columns are ignored.
/// It may store the rows of splits interleaved, too: the order inside a split is what counts.
#[derive(Debug)]
pub struct TableDecoder {
    info: TableInfo,
    lengths: Vec<u64>,
    rows: u64,
}

impl TableDecoder {
    /// For a table with this schema.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for missing columns, wrong types and wrong metadata.
    pub fn new(schema: &Schema) -> Result<Self> {
        let type_of = |name: &str| {
            let field = schema.field_with_name(name);
            field.map(|field| field.data_type().clone()).map_err(|_| {
                let names: Vec<_> = schema.fields().iter().map(|field| field.name()).collect();
                invalid(format!(
                    "the permutation table has the columns {names:?}; it must have {ROW_ID} and {SPLIT_ID}"
                ))
            })
        };
        let (row_id, split_id) = (type_of(ROW_ID)?, type_of(SPLIT_ID)?);
        if row_id != DataType::UInt64 {
            return Err(invalid(format!(
                "the permutation table's {ROW_ID} has type {row_id}; it must be UInt64"
            )));
        }
        if !split_id.is_integer() {
            return Err(invalid(format!(
                "the permutation table's {SPLIT_ID} has type {split_id}; it must be UInt64"
            )));
        }
        Ok(Self { info: TableInfo::from_schema(schema)?, lengths: Vec::new(), rows: 0 })
    }

    /// What the table says about itself.
    pub fn info(&self) -> &TableInfo {
        &self.info
    }

    /// The rows of the next batch, split by split, in the order in which the batch first names each. A split may come
    /// back in a later batch.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for nulls, for split ids of [`MAX_SPLITS`] and above, and for ones that go back in a table of
    /// ours.
    pub fn decode(&mut self, batch: &RecordBatch) -> Result<Vec<SplitRun>> {
        let lacks = |name| invalid(format!("a batch of the permutation table lacks the column {name}"));
        let splits = batch.column_by_name(SPLIT_ID).ok_or_else(|| lacks(SPLIT_ID))?;
        let row_ids = batch.column_by_name(ROW_ID).and_then(|column| column.as_primitive_opt::<UInt64Type>());
        let row_ids: &UInt64Array = row_ids.ok_or_else(|| lacks(ROW_ID))?;
        let mut runs: Vec<SplitRun> = Vec::new();
        let mut run_of: HashMap<u64, usize> = HashMap::new();
        for (row, split) in split_numbers(splits)?.into_iter().enumerate() {
            let at = self.rows + row as u64;
            if row_ids.is_null(row) {
                return Err(invalid(format!(
                    "{ROW_ID} of row {at} of the permutation table is null; no row may be"
                )));
            }
            let Some(split) = split else {
                self.allow_no_split(at)?;
                continue;
            };
            self.count(split, at)?;
            let at = *run_of.entry(split).or_insert(runs.len());
            match runs.get_mut(at) {
                Some(run) => run.row_ids.push(row_ids.value(row)),
                None => runs.push(SplitRun { split, row_ids: vec![row_ids.value(row)] }),
            }
        }
        self.rows += batch.num_rows() as u64;
        Ok(runs)
    }

    /// Where each split lies, after the last batch: empty splits at the end have a name, or a length in our metadata.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the splits do not have the lengths that one of our tables was written with.
    pub fn finish(mut self) -> Result<SplitLayout> {
        let named = self.info.split_names.as_ref().map_or(1, |names| names.len().clamp(1, MAX_SPLITS));
        let written = self.info.own.as_ref().map(|own| &own.split_lengths);
        let splits = written.map_or(named, |lengths| lengths.len().min(MAX_SPLITS)).max(self.lengths.len());
        self.lengths.resize(splits, 0);
        if let Some(written) = written
            && *written != self.lengths
        {
            return Err(invalid(format!(
                "the permutation table's splits do not have the lengths they were written with ({} rows in place of {}); \
                 build the table anew",
                self.rows,
                written.iter().map(|&length| u128::from(length)).sum::<u128>()
            )));
        }
        SplitLayout::from_lengths(&self.lengths)
    }

    /// Counts a row of `split`, which in our tables must be the last split so far or a later one.
    fn count(&mut self, split: u64, at: u64) -> Result<()> {
        if split >= MAX_SPLITS as u64 {
            return Err(invalid(format!(
                "{SPLIT_ID} of row {at} of the permutation table is {split}; it must be below {MAX_SPLITS}"
            )));
        }
        let last = self.lengths.len().saturating_sub(1) as u64;
        if split < last && self.info.own.is_some() {
            return Err(invalid(format!(
                "{SPLIT_ID} goes back from {last} to {split} at row {at} of the permutation table; it must never fall"
            )));
        }
        if self.lengths.len() <= split as usize {
            self.lengths.resize(split as usize + 1, 0);
        }
        self.lengths[split as usize] += 1;
        Ok(())
    }

    fn allow_no_split(&self, at: u64) -> Result<()> {
        if self.info.own.is_some() {
            return Err(invalid(format!(
                "{SPLIT_ID} of row {at} of the permutation table is null; no row may be"
            )));
        }
        Ok(())
    }
}
