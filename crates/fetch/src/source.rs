//! Where rows come from: the one trait between the pipeline and a table.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use lance_loader_order::Result;

/// The projected rows of one snapshot of a table, addressed by *ordinal*: the index of a live row in storage order,
/// from 0 to `num_rows() - 1`.
///
/// An ordinal means the same row for as long as the source lives. Implementations retry what may be retried;
/// an error that comes out of here is final.
pub trait RowSource: Send + Sync + 'static {
    /// The schema of every batch that this source delivers.
    fn schema(&self) -> SchemaRef;

    /// The number of live rows of the snapshot.
    fn num_rows(&self) -> u64;

    /// Reads the rows of `ordinals`, which ascend and are distinct: one batch with exactly one row for each.
    ///
    /// Fails with `RowsMissing` where a row did not come back: never a shorter batch.
    fn take(&self, ordinals: Vec<u64>) -> BoxFuture<'static, Result<RecordBatch>>;

    /// Reads every row in ordinal order, in batches of about `batch_bytes`.
    fn scan(&self, batch_bytes: u64) -> BoxStream<'static, Result<RecordBatch>>;

    /// Replaces each ordinal by the row id that the table knows it by.
    fn row_ids(&self, ordinals: &mut [u64]) -> Result<()>;
}
