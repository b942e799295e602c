//! A scan that goes on while its batches are used.

use arrow_array::RecordBatch;
use futures::TryStreamExt;
use lance_loader_order::Result;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::source::RowSource;
use crate::task::OwnedTask;

/// Batches that may wait: one, so that reading and using overlap.
const WAITING: usize = 1;

/// The batches of a scan in order, read by a task of their own. Dropping it ends the scan.
pub(crate) struct ScanAhead {
    batches: mpsc::Receiver<RecordBatch>,
    scan: Option<OwnedTask<()>>,
}

impl ScanAhead {
    /// Begins to read all rows of `source` in batches of about `batch_bytes`. Within a Tokio runtime.
    pub(crate) fn new(source: &dyn RowSource, batch_bytes: u64) -> Self {
        let mut scanned = source.scan(batch_bytes);
        let (sender, batches) = mpsc::channel(WAITING);
        let scan = OwnedTask::spawn(&Handle::current(), async move {
            while let Some(batch) = scanned.try_next().await? {
                if sender.send(batch).await.is_err() {
                    break;
                }
            }
            Ok(())
        });
        Self { batches, scan: Some(scan) }
    }

    /// The next batch; `None` behind the last one. An error comes behind the batches before it.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>> {
        let batch = self.batches.recv().await;
        if batch.is_none()
            && let Some(scan) = self.scan.take()
        {
            scan.join().await?;
        }
        Ok(batch)
    }
}
