//! Lists of rows that may be larger than the memory: built as streams, kept in temporary files beyond a limit.

mod assign;
mod list;
mod options;
mod place;
mod temp_file;
#[cfg(test)]
mod tests;

pub use assign::SplitAssigner;
pub use list::{RowList, RowListBuilder};
pub use options::SpillOptions;
