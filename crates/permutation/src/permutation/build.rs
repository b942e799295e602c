//! From a configuration to a permutation.

use arrow_array::RecordBatch;
use lance_loader_order::{Code, Domain, Error, Key, Order, Result, Shuffle};

use super::{Permutation, Source};
use crate::config::{PermutationConfig, ShuffleConfig, SplitStrategy};
use crate::error::invalid;
use crate::hash::{HashSplit, hash_rows};
use crate::rows::Rows;
use crate::sizes::Sizes;
use crate::spill::{SpillOptions, SplitAssigner};
use crate::split_numbers::split_numbers;

/// The column in which the value of `splitCalculated` is read.
pub const SPLIT_COLUMN: &str = "split_id";

impl PermutationConfig {
    /// The permutation of `rows` (those that the filter keeps). Takes O(splits) time and memory.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for what [`validate`](Self::validate) refuses, and for sizes that the rows can't fill;
    /// `INTERNAL` for a strategy that needs the rows' values.
    pub fn build(&self, rows: Rows) -> Result<Permutation> {
        self.validate()?;
        let count = rows.len();
        let (source, lengths) = match &self.split {
            SplitStrategy::All => (storage(rows), vec![count]),
            SplitStrategy::Sequential { sizes } => (storage(rows), sizes.resolve(count, "rows")?),
            SplitStrategy::Random { sizes, shuffle } => {
                let lengths = sizes.resolve(count, "rows")?;
                (Source::Pieces { order: random_order(*shuffle, count)?, rows }, lengths)
            }
            SplitStrategy::Bootstrap { num_samples, sizes, seed } => {
                let lengths = bootstrap_lengths(*num_samples, sizes, count)?;
                (Source::Draws { rows, key: Key::derive(*seed, 0, Domain::Bootstrap) }, lengths)
            }
            SplitStrategy::Hash { .. } | SplitStrategy::Calculated { .. } => {
                return Err(Error::new(
                    Code::Internal,
                    "this split strategy is built from the rows' values, by an assigner",
                ));
            }
        };
        Permutation::new(source, &lengths, self.shuffle, self.split_names.clone())
    }

    /// What takes the rows' values, for the strategies that need them.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for what [`validate`](Self::validate) refuses, or options that are not allowed.
    pub fn assigner(&self, options: SpillOptions) -> Result<SplitAssigner> {
        self.validate()?;
        SplitAssigner::new(self.num_splits(), self.split_names.clone(), self.shuffle, options)
    }

    /// The split of each row of `batch`, `None` where the row is dropped: by the hash of its columns, or from the
    /// column [`SPLIT_COLUMN`] with the value of the calculation.
    ///
    /// # Errors
    /// As [`hash_rows`]; `INVALID_ARGUMENT` where the calculation gives no whole numbers; `INTERNAL` for the other
    /// strategies.
    pub fn split_numbers(&self, batch: &RecordBatch) -> Result<Vec<Option<u64>>> {
        match &self.split {
            SplitStrategy::Hash { columns, split_weights, discard_weight } => {
                let split = HashSplit::new(split_weights, *discard_weight)?;
                Ok(hash_rows(batch, columns)?.into_iter().map(|hash| split.split_of(hash)).collect())
            }
            SplitStrategy::Calculated { .. } => match batch.column_by_name(SPLIT_COLUMN) {
                Some(column) => split_numbers(column),
                None => Err(Error::new(
                    Code::Internal,
                    "the calculation's value is not in the rows that were read",
                )),
            },
            _ => Err(Error::new(Code::Internal, "this split strategy does not look at the rows' values")),
        }
    }
}

fn storage(rows: Rows) -> Source {
    Source::Pieces { order: Order::Storage { rows: rows.len() }, rows }
}

fn random_order(shuffle: ShuffleConfig, rows: u64) -> Result<Order> {
    let key = Key::derive(shuffle.seed, 0, Domain::RandomSplit);
    Shuffle::new(rows, shuffle.clump_size, key).map(Order::Shuffled)
}

fn bootstrap_lengths(num_samples: u64, sizes: &Sizes, rows: u64) -> Result<Vec<u64>> {
    if rows == 0 {
        return Err(invalid("bootstrapSample has no row to draw from; filter less, or fill the table"));
    }
    sizes.resolve(num_samples, "samples")
}
