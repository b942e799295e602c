//! A scan of local files as reads of ranges of rows, several at a time.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{Array, RecordBatch};
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, stream};
use lance_loader_fetch::fixed_row_bytes;
use lance_loader_fetch::source::RowSource;
use lance_loader_fetch::task::OwnedTask;
use lance_loader_order::Result;
use tokio::runtime::Handle;

use crate::LanceSource;

/// Ranges that are read at one time: two keep two cores decoding, and with more their memory grows faster than their speed.
const AT_ONCE: usize = 2;
/// Rows of a range while nothing is known of their size.
const FIRST_ROWS: u64 = 1024;

/// All rows in ordinal order, in batches of about `range_bytes` that don't cross fragments.
///
/// Lance's own scan decodes on all cores but two, so that on few cores it has but one.
pub(crate) fn scan_ranges(source: LanceSource, range_bytes: u64) -> BoxStream<'static, Result<RecordBatch>> {
    let row_bytes = Arc::new(AtomicU64::new(fixed_row_bytes(&source.schema()).unwrap_or(0)));
    let ranges = stream::unfold(0, move |start| {
        let rows = match row_bytes.load(Ordering::Relaxed) {
            0 => FIRST_ROWS,
            row_bytes => (range_bytes / row_bytes).max(1),
        };
        let range = source.rows_from(start, rows).map(|range| {
            let read = read_range(source.clone(), range.clone(), row_bytes.clone());
            (read, range.end)
        });
        std::future::ready(range)
    });
    ranges.buffered(AT_ONCE).boxed()
}

/// Reads on a thread of the runtime, so that several ranges are decoded side by side.
async fn read_range(
    source: LanceSource,
    range: Range<u64>,
    row_bytes: Arc<AtomicU64>,
) -> Result<RecordBatch> {
    let read = async move { source.take_range(range).await }.boxed();
    let batch = OwnedTask::spawn(&Handle::current(), read).join().await?;
    if let Some(bytes) = bytes_of(&batch).checked_div(batch.num_rows() as u64) {
        row_bytes.store(bytes.max(1), Ordering::Relaxed);
    }
    Ok(batch)
}

/// The bytes of the rows themselves, whatever the memory that they are slices of.
fn bytes_of(batch: &RecordBatch) -> u64 {
    let sizes = batch.columns().iter().map(|column| column.to_data().get_slice_memory_size());
    sizes.map(|size| size.unwrap_or(0) as u64).sum()
}
