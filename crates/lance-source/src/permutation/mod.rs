//! Permutations of a snapshot: built from its rows, written as tables, and read back.

mod build;
mod persist;
mod stored;

pub(crate) use build::build;
pub use persist::RowIds;
pub(crate) use persist::persist;
pub use stored::FindRows;
pub(crate) use stored::{load, rows_of};
