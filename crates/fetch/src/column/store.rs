//! The rows of one read.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lance_loader_order::Result;

use super::{Column, delivered_schema};

/// Several columns of equal length and the schema in which they are delivered: what batches are gathered
/// from.
///
/// Immutable and cheap to clone. Any number of threads may gather from one store.
#[derive(Clone, Debug)]
pub struct ColumnStore {
    schema: SchemaRef,
    rows: usize,
    columns: Vec<Column>,
}

impl ColumnStore {
    /// The rows of one record batch, which stays alive as long as the store. Nothing is copied but views.
    ///
    /// # Errors
    /// As [`Column::from_array`] and [`delivered_schema`].
    pub fn from_batch(batch: &RecordBatch) -> Result<Self> {
        let schema = Arc::new(delivered_schema(batch.schema_ref())?);
        let named = schema.fields().iter().zip(batch.columns());
        let columns =
            named.map(|(field, array)| Column::from_array(field.name(), array)).collect::<Result<_>>()?;
        Ok(Self::new(schema, batch.num_rows(), columns))
    }

    /// Columns that fit `schema` and all have `rows` rows.
    pub(super) fn new(schema: SchemaRef, rows: usize, columns: Vec<Column>) -> Self {
        Self { schema, rows, columns }
    }

    /// The schema of the batches that are gathered from here. See [`delivered_schema`].
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, in schema order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The bytes that the rows take. See [`Column::bytes`].
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }
}
