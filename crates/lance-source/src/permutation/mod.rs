//! Permutations of a snapshot: built from its rows, written as tables, and read back.

mod build;
mod persist;
mod stored;

pub(crate) use build::build;
pub(crate) use persist::persist;
pub(crate) use stored::load;
