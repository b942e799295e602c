//! Takes and scans of one snapshot with one projection.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
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

/// The least that a scan of local files, and one of an object store, reads ahead, in bytes.
const LOCAL_READ_AHEAD: u64 = 4 << 20;
const REMOTE_READ_AHEAD: u64 = 64 << 20;

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
        if let Some(dataset) = self.queued.dataset(addresses.len()).await {
            match self.take_builder(&dataset, addresses.to_vec(), columns)?.execute().await {
                Ok(batch) => return Ok(batch),
                // Where the table is at fault and not the queue, the same take fails again and says so.
                Err(_) => self.queued.refuse(),
            }
        }
        let builder = self.take_builder(&self.dataset, addresses.to_vec(), columns)?;
        builder.execute().await.map_err(|error| read_failed("a read of the table", error))
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

    /// Bytes that a scan reads ahead: little from local files, much where each read waits for a server.
    fn read_ahead(&self, batch_bytes: u64) -> u64 {
        let (batches, least) = if self.is_remote { (16, REMOTE_READ_AHEAD) } else { (2, LOCAL_READ_AHEAD) };
        batch_bytes.saturating_mul(batches).max(least)
    }

    async fn open_scan(self, batch_bytes: u64) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let failed = |error| read_failed("a scan of the table", error);
        let mut scanner = self.dataset.scan();
        scanner.blob_handling(self.projection.blobs.handling());
        scanner.project(&self.projection.columns).map_err(failed)?;
        scanner.scan_in_order(true).batch_size_bytes(batch_bytes);
        scanner.io_buffer_size(self.read_ahead(batch_bytes));
        if !self.is_remote {
            // Each fragment under way has pages of its own in memory, and local files keep the processors busy one at a time.
            scanner.fragment_readahead(1);
        }
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
        stream::once(self.clone().open_scan(batch_bytes)).try_flatten().boxed()
    }

    fn row_ids(&self, ordinals: &mut [u64]) -> Result<()> {
        self.rows.row_ids(ordinals)
    }
}
