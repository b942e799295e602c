//! Rows of Lance tables: open, pin a snapshot, find its live rows, filter, take and scan.
//!
//! The only crate that names `lance`. Its futures are boxed: what awaits an unboxed one would compile Lance's own futures once
//! more, which takes minutes.

mod cache;
mod errors;
mod filter;
mod fragments;
mod identity;
mod live_rows;
mod location;
mod permutation;
mod projection;
mod queued_reads;
mod range_scan;
mod snapshot;
mod source;

pub use fragments::FragmentInfo;
pub use live_rows::LiveRows;
pub use location::Location;
pub use permutation::{FindRows, RowIds};
pub use projection::{Blobs, Projection};
pub use snapshot::Snapshot;
pub use source::LanceSource;
