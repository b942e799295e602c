//! From a plan of rows to batches in plan order: sources, windows, takes, memory, local files, gathers, packing, queues and budgets.
//!
//! Knows Arrow, but neither Lance nor JavaScript.

pub mod budget;
pub mod cache;
mod checksum;
pub mod choice;
pub mod choosing;
pub mod chosen;
pub mod column;
pub mod epoch;
pub mod fetcher;
pub mod gather;
mod gathering;
pub mod left_out;
pub mod memory;
pub mod mixture;
pub mod packing;
pub mod permuted;
pub mod pipeline;
mod positioned;
pub mod projection;
pub mod ready_queue;
mod row_bytes;
mod scan_ahead;
pub mod scratch;
pub mod sizing;
pub mod source;
pub mod statistics;
pub mod task;
pub mod window;

pub use row_bytes::fixed_row_bytes;
