//! The permutation table: how rows and splits are stored, for us and for Python `LanceDB`.
//! `docs/formats/permutation-table.md` describes it for readers.

mod decode;
mod info;
#[cfg(test)]
mod tests;

pub use decode::{SplitRun, TableDecoder};
pub use info::{OwnInfo, TableInfo};

use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, SchemaRef};
use lance_loader_order::{Code, Error, Result};

/// The column of Lance row ids, u64, never null.
pub const ROW_ID: &str = "row_id";
/// The column of split numbers, u64, never null.
pub const SPLIT_ID: &str = "split_id";

/// Rows of one split as a batch of a permutation table, with the schema that [`TableInfo::schema`] gave.
///
/// # Errors
/// `INTERNAL` where the schema is another one.
pub fn encode(schema: &SchemaRef, split: u64, row_ids: Vec<u64>) -> Result<RecordBatch> {
    let splits = UInt64Array::from_value(split, row_ids.len());
    let columns = vec![Arc::new(UInt64Array::from(row_ids)) as _, Arc::new(splits) as _];
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(|cause: ArrowError| {
        Error::new(Code::Internal, "a permutation table was written with another schema").with_cause(cause)
    })
}
