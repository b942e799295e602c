//! Permutations: split strategies, bootstrap samples, the row hash and the permutation table's format.
//!
//! A [`PermutationConfig`] describes a permutation. It builds a [`Permutation`] from the number of [`Rows`] alone,
//! or, where the rows' values decide, through a [`SplitAssigner`]. Rows are addressed by ordinal: the index of a live
//! row in the storage order of a snapshot. [`mod@format`] says how a permutation is stored as a table. No I/O but
//! temporary files, no async, no Lance.

mod config;
mod error;
pub mod format;
mod hash;
mod names;
mod permutation;
mod row_set;
mod rows;
mod sizes;
mod spill;
mod split_numbers;
mod view;

pub use config::{Needs, PermutationConfig, ShuffleConfig, SplitStrategy};
pub use hash::{HASH_VERSION, HashSplit, hash_rows};
pub use names::{MAX_SPLITS, validate_names};
pub use permutation::{Chunk, Chunks, Permutation, SPLIT_COLUMN};
pub use row_set::{RowCollector, RowSet, RowSetBuilder};
pub use rows::Rows;
pub use sizes::Sizes;
pub use spill::{RowList, RowListBuilder, SpillOptions, SplitAssigner, Stop};
pub use view::View;
