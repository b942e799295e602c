//! Takes and scans of one snapshot with one projection.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use lance::Dataset;
use lance::dataset::{ProjectionRequest, TakeBuilder};
use lance_core::ROW_ID;
use lance_loader_fetch::projection::arranged;
use lance_loader_fetch::source::RowSource;
use lance_loader_order::{Code, Error, Result};

use crate::LiveRows;
use crate::errors::read_failed;
use crate::projection::Projection;
use crate::queued_reads::QueuedReads;
use crate::range_scan::{long_runs, scan_ranges, take_runs};

/// The least that a scan of an object store reads ahead, in bytes.
const READ_AHEAD: u64 = 64 << 20;

/// The projected rows of a snapshot.
#[derive(Clone, Debug)]
pub struct LanceSource {
    dataset: Arc<Dataset>,
    rows: Arc<LiveRows>,
    queued: Arc<QueuedReads>,
    is_remote: bool,
    projection: Arc<Projection>,
}

impl LanceSource {
    pub(crate) fn new(
        dataset: Arc<Dataset>,
        rows: Arc<LiveRows>,
        queued: Arc<QueuedReads>,
        is_remote: bool,
        projection: Projection,
    ) -> Result<Self> {
        let source = Self { dataset, rows, queued, is_remote, projection: Arc::new(projection) };
        source.take_builder(&source.dataset, Vec::new(), &source.projection.columns)?;
        Ok(source)
    }

    fn take_builder(
        &self,
        dataset: &Arc<Dataset>,
        addresses: Vec<u64>,
        columns: &[String],
    ) -> Result<TakeBuilder> {
        let failed = |error| read_failed("planning a take", error);
        let mut plan = ProjectionRequest::from_columns(columns, dataset.schema())
            .into_projection_plan(dataset.clone())
            .map_err(failed)?;
        plan.physical_projection =
            plan.physical_projection.with_blob_handling(self.projection.blobs.handling());
        let builder = TakeBuilder::try_new_from_addresses(dataset.clone(), addresses, Arc::new(plan))
            .map_err(failed)?;
        // Ordinals are of live rows only, so that nobody needs to read the deletion files again.
        Ok(builder.with_ignore_deletions(true))
    }

    async fn take_ordinals(self, ordinals: Vec<u64>) -> Result<RecordBatch> {
        if ordinals.is_empty() {
            return Ok(RecordBatch::new_empty(self.projection.schema.clone()));
        }
        let is_inside = ordinals.last().is_some_and(|last| *last < self.rows.len());
        if !self.is_remote
            && is_inside
            && let Some(runs) = long_runs(&ordinals)
        {
            let batch = take_runs(&self, runs).await?;
            return arranged(&batch, &self.projection.schema);
        }
        let mut addresses = ordinals;
        self.rows.addresses(&mut addresses)?;
        let batch = self.take_addresses(&addresses).await?;
        if batch.num_rows() != addresses.len() {
            return Err(self.missing(&addresses, batch.num_rows()).await);
        }
        arranged(&batch, &self.projection.schema)
    }

    async fn take_addresses(&self, addresses: &[u64]) -> Result<RecordBatch> {
        let columns = &self.projection.columns;
        // Neighbours are read at once: no queue is needed.
        if !are_neighbours(addresses)
            && let Some(dataset) = self.queued.dataset(addresses.len()).await
        {
            match self.take_builder(&dataset, addresses.to_vec(), columns)?.execute().await {
                Ok(batch) => return Ok(batch),
                // Where the table is at fault and not the queue, the same take fails again and says so.
                Err(_) => self.queued.refuse(),
            }
        }
        let builder = self.take_builder(&self.dataset, addresses.to_vec(), columns)?;
        builder.execute().await.map_err(|error| read_failed("a read of the table", error))
    }

    /// At most `rows` rows from `start` on, all of one fragment; `None` behind the last row.
    pub(crate) fn rows_from(&self, start: u64, rows: u64) -> Option<Range<u64>> {
        let rest = self.rows.rest_of_fragment(start)?;
        Some(start..rest.end.min(start.saturating_add(rows)))
    }

    /// Reads neighbours. Where few of the rows between them are deleted, all are read and those are dropped.
    pub(crate) async fn take_range(self, ordinals: Range<u64>) -> Result<RecordBatch> {
        let mut addresses: Vec<u64> = ordinals.collect();
        self.rows.addresses(&mut addresses)?;
        let (Some(&first), Some(&last)) = (addresses.first(), addresses.last()) else {
            return Ok(RecordBatch::new_empty(self.projection.schema.clone()));
        };
        let spanned: Vec<u64> = if last - first < 2 * addresses.len() as u64 {
            (first..=last).collect()
        } else {
            addresses.clone()
        };
        let batch = self.take_addresses(&spanned).await?;
        if batch.num_rows() != spanned.len() {
            return Err(self.missing(&spanned, batch.num_rows()).await);
        }
        let batch = arranged(&batch, &self.projection.schema)?;
        if spanned.len() == addresses.len() {
            return Ok(batch);
        }
        let live = spanned.iter().map(|address| Some(addresses.binary_search(address).is_ok()));
        filter_record_batch(&batch, &live.collect()).map_err(|error| {
            Error::new(Code::Internal, format!("a range's deleted rows could not be dropped: {error}"))
                .with_cause(error)
        })
    }

    /// Names the rows that a take did not deliver: asks for them one by one until the first few are known.
    async fn missing(&self, addresses: &[u64], delivered: usize) -> Error {
        const NAMED: usize = 5;
        let row_id = [ROW_ID.to_string()];
        let mut missing = Vec::new();
        for &address in addresses {
            if missing.len() == NAMED {
                break;
            }
            let found = match self.take_builder(&self.dataset, vec![address], &row_id) {
                Ok(builder) => builder.execute().await.map_or(0, |batch| batch.num_rows()),
                Err(error) => return error,
            };
            if found == 0 {
                missing.push(address.to_string());
            }
        }
        Error::new(
            Code::RowsMissing,
            format!(
                "{} of {} rows did not come back from version {} of the table; the first ones lie at the row addresses {}. \
                 The table's files are damaged or were changed in place",
                addresses.len() - delivered,
                addresses.len(),
                self.dataset.version_id(),
                if missing.is_empty() { "(unknown)".to_string() } else { missing.join(", ") }
            ),
        )
    }

    /// A scan of an object store, where each read waits for a server: Lance's own, which reads far ahead.
    async fn open_scan(self, batch_bytes: u64) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let failed = |error| read_failed("a scan of the table", error);
        let mut scanner = self.dataset.scan();
        scanner.blob_handling(self.projection.blobs.handling());
        scanner.project(&self.projection.columns).map_err(failed)?;
        scanner.scan_in_order(true).batch_size_bytes(batch_bytes);
        scanner.io_buffer_size(batch_bytes.saturating_mul(16).max(READ_AHEAD));
        let schema = self.projection.schema.clone();
        let batches = scanner.try_into_stream().await.map_err(failed)?;
        Ok(batches.map(move |batch| arranged(&batch.map_err(failed)?, &schema)).boxed())
    }
}

impl RowSource for LanceSource {
    fn schema(&self) -> SchemaRef {
        self.projection.schema.clone()
    }

    fn num_rows(&self) -> u64 {
        self.rows.len()
    }

    fn take(&self, ordinals: Vec<u64>) -> BoxFuture<'static, Result<RecordBatch>> {
        self.clone().take_ordinals(ordinals).boxed()
    }

    fn scan(&self, batch_bytes: u64) -> BoxStream<'static, Result<RecordBatch>> {
        if self.is_remote {
            return stream::once(self.clone().open_scan(batch_bytes)).try_flatten().boxed();
        }
        scan_ranges(self.clone(), batch_bytes)
    }

    fn row_ids(&self, ordinals: &mut [u64]) -> Result<()> {
        self.rows.row_ids(ordinals)
    }
}

/// Whether row addresses follow each other, in one fragment.
fn are_neighbours(addresses: &[u64]) -> bool {
    let [first, .., last] = addresses else { return true };
    last - first == addresses.len() as u64 - 1
}
