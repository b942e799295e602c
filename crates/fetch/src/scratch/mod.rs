//! An external shuffle on local disk, for tables that don't fit the memory.
//!
//! One sequential scan deals the rows out into *buckets*: the rows of one window of the epoch each, so that a bucket fits its share of the budget.
//! A batch of the scan adds one *block* to each bucket that it has rows of. All blocks go into one file, one behind the other; a bucket is read
//! back once, when its window comes.

mod block_file;
mod buckets;
mod deal;
mod fetcher;

pub(crate) use fetcher::{INDEX_ROW_BYTES, INDEX_SHARE};
pub use fetcher::{ScratchFetcher, ScratchOptions};
