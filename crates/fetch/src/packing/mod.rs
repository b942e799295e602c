//! From a plan of documents to batches of packed blocks, in the form in which rows are delivered.
//!
//! Documents are read by the same fetchers as rows, each split by itself: how many documents a block takes depends on their lengths, so
//! that splits advance unevenly. Token lists go from the columns that were read into the packer, a block at a time, and out into a
//! [`Block`](crate::gather::Block); nothing is made of a document on its own.

mod block_memory;
mod documents;
mod estimate;
mod ledger;
mod options;
mod pending_batch;
mod pipeline;
mod reader;
mod token_column;

pub use documents::{DocumentPlan, RowNames};
pub use estimate::estimate_blocks;
pub use options::{BlockColumns, TokenDtype, packed_schema};
pub use pipeline::{PackPipeline, PackReadOptions, PackSource};
pub use token_column::check_token_column;
