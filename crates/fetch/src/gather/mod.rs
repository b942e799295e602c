//! Rows of a store into a batch: one block of memory, in the order asked for.
//!
//! The gather goes over the rows twice. The first pass ([`GatherPlan::new`]) finds out how large every buffer
//! of the batch is, and so where it lies. The second ([`GatherPlan::gather`]) writes them one behind the
//! other into one allocation. Nothing grows, and nothing is copied twice.

mod aligned_buffer;
mod block;
mod children;
mod plan;
mod planner;
mod prefetch;
mod record_batch;
mod selection;
mod sink;
mod step;

use lance_loader_order::Result;

pub use aligned_buffer::AlignedBuffer;
pub use block::Block;
pub use plan::GatherPlan;
pub(crate) use prefetch::{ROWS_AHEAD, prefetch};

use crate::column::ColumnStore;

/// The rows `rows` of `store`, in that order, duplicates included, as one block.
///
/// `recycled` is memory of an earlier block, used again if it is large enough: fresh memory costs a page
/// fault for every 4 KiB.
///
/// ```
/// # use std::sync::Arc;
/// # use arrow_array::{Int32Array, RecordBatch};
/// # use lance_loader_fetch::{column::ColumnStore, gather::gather};
/// let batch = RecordBatch::try_from_iter([("v", Arc::new(Int32Array::from(vec![20, 30, 40])) as _)])?;
/// let store = ColumnStore::from_batch(&batch)?;
/// let block = gather(&store, &[2, 0, 0, 2], None)?;
/// // length, null count, no validity, 16 bytes of values at the start
/// assert_eq!(block.layout(), [4, 0, 0, 0, 0, 16]);
/// let gathered = block.into_record_batch(store.schema())?;
/// assert_eq!(gathered.column(0).as_ref(), &Int32Array::from(vec![40, 20, 20, 40]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`GatherPlan::new`] and [`GatherPlan::gather`].
pub fn gather(store: &ColumnStore, rows: &[u32], recycled: Option<AlignedBuffer>) -> Result<Block> {
    GatherPlan::new(store, rows)?.gather(recycled)
}
