//! Ranges of rows of local files: a scan is many of them, and a take of neighbours a few.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{Array, RecordBatch};
use arrow_schema::Schema;
use arrow_select::concat::concat_batches;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use lance_loader_fetch::fixed_row_bytes;
use lance_loader_fetch::source::RowSource;
use lance_loader_fetch::task::OwnedTask;
use lance_loader_order::{Code, Error, Result};
use tokio::runtime::Handle;

use crate::LanceSource;

/// Ranges that are read at one time: two keep two cores decoding, and with more their memory grows faster than their speed.
const AT_ONCE: usize = 2;
/// Rows of a range while nothing is known of their size.
const FIRST_ROWS: u64 = 128;

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

/// The runs of neighbours in `ordinals`, which ascend, where they are long enough to be read as ranges.
pub(crate) fn long_runs(ordinals: &[u64]) -> Option<Vec<Range<u64>>> {
    const LONG: usize = 256;
    let most = ordinals.len() / LONG;
    let mut runs = Vec::new();
    for run in ordinals.chunk_by(|left, right| left + 1 == *right) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        if runs.len() == most {
            return None;
        }
        runs.push(*first..last + 1);
    }
    Some(runs)
}

/// The rows of ascending runs, in one batch.
pub(crate) async fn take_runs(source: &LanceSource, runs: Vec<Range<u64>>) -> Result<RecordBatch> {
    let pieces: Vec<_> = runs
        .into_iter()
        .flat_map(|run| pieces_of(source, run))
        .map(|piece| read_aside(source.clone(), piece))
        .collect();
    let batches: Vec<RecordBatch> = stream::iter(pieces).buffered(AT_ONCE).try_collect().await?;
    match <[RecordBatch; 1]>::try_from(batches) {
        Ok([batch]) => Ok(batch),
        Err(batches) => joined(&source.schema(), &batches),
    }
}

/// All rows of `batches`, any of which may be null: a reader of the table may have widened some of them.
fn joined(schema: &Schema, batches: &[RecordBatch]) -> Result<RecordBatch> {
    let schema = batches.first().map_or(schema, |batch| batch.schema_ref());
    let nullable = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    concat_batches(&Arc::new(Schema::new(nullable.collect::<Vec<_>>())), batches).map_err(|error| {
        let message = format!("the parts of a read could not be put together: {error}");
        Error::new(Code::ReadFailed, message).with_cause(error)
    })
}

/// A run, cut where a fragment ends.
fn pieces_of(source: &LanceSource, run: Range<u64>) -> Vec<Range<u64>> {
    let next = |start| source.rows_from(start, run.end - start).filter(|piece| !piece.is_empty());
    std::iter::successors(next(run.start), |piece| next(piece.end)).collect()
}

/// Reads on a thread of the runtime, so that several ranges are decoded side by side.
async fn read_aside(source: LanceSource, range: Range<u64>) -> Result<RecordBatch> {
    OwnedTask::spawn(&Handle::current(), source.take_range(range).boxed()).join().await
}

/// Reads a range, and notes how large its rows are.
async fn read_range(
    source: LanceSource,
    range: Range<u64>,
    row_bytes: Arc<AtomicU64>,
) -> Result<RecordBatch> {
    let batch = read_aside(source, range).await?;
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
