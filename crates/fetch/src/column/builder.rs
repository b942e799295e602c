//! A whole scan, appended batch by batch.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use lance_loader_order::{Code, Error, Result};

use super::growing::GrowingColumn;
use super::{Column, ColumnStore, delivered_schema};

/// Appends the record batches of a sequential scan into contiguous memory.
///
/// When the number of rows is known, memory is reserved up front for those of fixed width, and for strings and lists by the size
/// of the first ones: to grow by doubling would copy them. Offsets have 64 bits. Dictionaries that differ from batch to batch become one. A batch costs its bytes in time and
/// memory, once.
///
/// ```
/// # use std::sync::Arc;
/// # use arrow_array::{Int32Array, RecordBatch};
/// # use lance_loader_fetch::column::ColumnStoreBuilder;
/// let batch = RecordBatch::try_from_iter([("id", Arc::new(Int32Array::from(vec![1, 2])) as _)])?;
/// let mut builder = ColumnStoreBuilder::new(batch.schema_ref(), Some(4))?;
/// builder.append(&batch)?;
/// builder.append(&batch)?;
/// assert_eq!(builder.bytes(), 16);
/// assert_eq!(builder.finish().rows(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ColumnStoreBuilder {
    source: Schema,
    delivered: SchemaRef,
    /// How many rows are expected in all; 0 where nobody knows.
    expected: usize,
    rows: usize,
    /// At how many rows the size of the rest is estimated next.
    estimate_at: usize,
    columns: Vec<GrowingColumn>,
}

/// The most that an estimate multiplies what is there: rows at the start may be unlike those behind them.
const MOST_GROWTH: f64 = 16.0;
/// After how many times as many rows the estimate is made anew.
const ESTIMATE_AGAIN: usize = 8;

impl ColumnStoreBuilder {
    /// An empty store for batches of `schema`. `rows` is how many are expected; a wrong number costs memory
    /// or time, nothing else.
    ///
    /// # Errors
    /// As [`delivered_schema`].
    pub fn new(schema: &Schema, rows: Option<usize>) -> Result<Self> {
        let delivered = Arc::new(delivered_schema(schema)?);
        let types = delivered.fields().iter();
        let columns = types
            .map(|field| GrowingColumn::new(field.data_type(), rows.unwrap_or(0)))
            .collect::<Result<_>>()?;
        Ok(Self {
            source: schema.clone(),
            delivered,
            expected: rows.unwrap_or(0),
            rows: 0,
            estimate_at: 1,
            columns,
        })
    }

    /// Appends all rows of `batch`, whose columns must have the names and types of the schema, in its order.
    ///
    /// # Errors
    /// As [`Column::from_array`]; `READ_FAILED` if memory can't be had; `INTERNAL` for a batch of another
    /// schema or for more than `u32::MAX` rows in all. After an error the builder holds a part of the batch
    /// and must be dropped.
    pub fn append(&mut self, batch: &RecordBatch) -> Result<()> {
        let fields = self.source.fields().iter().zip(batch.schema_ref().fields());
        let fits = |(ours, theirs): (&Arc<_>, &Arc<_>)| same_column(ours, theirs);
        if self.source.fields().len() != batch.num_columns() || !fields.into_iter().all(fits) {
            let message =
                format!("a batch of the scan has the schema {}, not {}", batch.schema_ref(), self.source);
            return Err(Error::new(Code::Internal, message));
        }
        let rows = self.rows.checked_add(batch.num_rows()).filter(|rows| u32::try_from(*rows).is_ok());
        let Some(rows) = rows else {
            let message = format!(
                "more than {} rows were appended to a store in memory: read windows instead",
                u32::MAX
            );
            return Err(Error::new(Code::Internal, message));
        };
        for (column, (field, array)) in
            self.columns.iter_mut().zip(self.source.fields().iter().zip(batch.columns()))
        {
            column.append(field.name(), &Column::from_array(field.name(), array)?, 0..array.len())?;
        }
        self.rows = rows;
        if rows >= self.estimate_at && rows < self.expected {
            self.estimate_at = rows.saturating_mul(ESTIMATE_AGAIN);
            let growth = (self.expected as f64 / rows as f64).min(MOST_GROWTH);
            self.columns.iter_mut().for_each(|column| column.reserve_times(growth));
        }
        Ok(())
    }

    /// The number of rows appended so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The bytes that the appended rows take, the look-up tables of dictionaries included. Reserved memory
    /// that was not written yet does not count: systems with virtual memory have not handed it out.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(GrowingColumn::bytes).sum()
    }

    /// The store, with what was reserved in excess given back.
    pub fn finish(self) -> ColumnStore {
        let columns = self.columns.into_iter().map(GrowingColumn::finish).collect();
        ColumnStore::new(self.delivered, self.rows, columns)
    }
}

fn same_column(ours: &arrow_schema::Field, theirs: &arrow_schema::Field) -> bool {
    ours.name() == theirs.name() && ours.data_type().equals_datatype(theirs.data_type())
}
