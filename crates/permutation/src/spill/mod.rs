//! Lists of rows that may be larger than the memory: built as streams, kept in temporary files beyond a limit.

mod assign;
mod list;
mod options;
mod place;
mod sort;
mod stop;
mod targets;
mod temp_file;
#[cfg(test)]
mod tests;
mod words;

pub use assign::SplitAssigner;
pub use list::{RowList, RowListBuilder};
pub use options::SpillOptions;
pub use stop::Stop;
