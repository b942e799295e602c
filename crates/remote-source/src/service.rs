//! What is asked of a server, and who asks.

use futures::stream::BoxStream;
use lance_loader_order::Result;

/// What a scan brings of each row, beside its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanColumns {
    /// These columns.
    Named(Vec<String>),
    /// The value of an SQL expression.
    Expression {
        /// The name of the column in the answer.
        name: String,
        /// The expression, over the table's columns.
        sql: String,
    },
}

/// A request for rows of the pinned version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// The rows with these ids, which ascend and are distinct.
    Take {
        /// The row ids.
        row_ids: Vec<u64>,
        /// The columns, in any order; at least one.
        columns: Vec<String>,
    },
    /// Every row, or every one for which a filter is true.
    Scan {
        /// What is wanted of each row.
        columns: ScanColumns,
        /// An SQL condition.
        filter: Option<String>,
    },
}

/// Asks a server for rows.
///
/// Implementations retry what may be retried; an error that comes out of here is final. An answer that is dropped is no longer wanted.
pub trait RowService: Send + Sync + 'static {
    /// The rows with their `_rowid`, in any order, as Arrow IPC files with any number of batches.
    fn ask(&self, request: Request) -> BoxStream<'static, Result<Vec<u8>>>;
}
