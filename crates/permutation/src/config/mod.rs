//! What a permutation is built from: an immutable description that a builder fills and a state records.

mod fields;
mod json;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use lance_loader_order::Result;

use crate::error::invalid;
use crate::hash::HashSplit;
use crate::names::validate_names;
use crate::sizes::Sizes;

/// The whole description of a permutation. Two equal ones over one snapshot give the same rows in the same order.
///
/// As JSON ([`from_json`](Self::from_json), [`to_json`](Self::to_json), `serde`) it has the names of the JavaScript
/// builder:
///
/// ```json
/// {"filter": "id < 9", "shuffle": {"seed": 1}, "splitRandom": {"ratios": [0.8, 0.2], "splitNames": ["train", "val"]}}
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PermutationConfig {
    /// The SQL condition that a row must meet. None: all rows.
    pub filter: Option<String>,
    /// How rows come into splits.
    pub split: SplitStrategy,
    /// One name for each split.
    pub split_names: Option<Vec<String>>,
    /// The order inside each split. None: the order that the strategy gives, which is storage order except for
    /// [`SplitStrategy::Random`] and [`SplitStrategy::Bootstrap`].
    pub shuffle: Option<ShuffleConfig>,
}

/// A keyed shuffle of each split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuffleConfig {
    /// Any number; each split's own key is derived from it.
    pub seed: u64,
    /// Runs of this many rows stay together; at least 1.
    pub clump_size: u64,
}

impl Default for ShuffleConfig {
    fn default() -> Self {
        Self { seed: 0, clump_size: 1 }
    }
}

/// How rows come into splits.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SplitStrategy {
    /// One split of all rows.
    #[default]
    All,
    /// Consecutive pieces of a keyed shuffle of all rows.
    Random {
        /// The size of each split.
        sizes: Sizes,
        /// The shuffle that is cut.
        shuffle: ShuffleConfig,
    },
    /// Consecutive pieces of storage order.
    Sequential {
        /// The size of each split.
        sizes: Sizes,
    },
    /// By the hash of the row's values, see [`crate::hash_rows`].
    Hash {
        /// The columns whose values are hashed, in this order.
        columns: Vec<String>,
        /// The share of each split, see [`HashSplit`].
        split_weights: Vec<u64>,
        /// The share of the rows that no split gets.
        discard_weight: u64,
    },
    /// By an SQL expression that gives the split's number; null or negative drops the row.
    Calculated {
        /// The SQL expression.
        calculation: String,
    },
    /// Draws with replacement, each split from its own stream of the seed.
    Bootstrap {
        /// The number of draws that the sizes divide.
        num_samples: u64,
        /// The size of each split.
        sizes: Sizes,
        /// Any number.
        seed: u64,
    },
}

/// What a scan must give for a permutation to be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs<'a> {
    /// The rows alone: see [`PermutationConfig::build`].
    Rows,
    /// The values of these columns: see [`PermutationConfig::assigner`].
    Columns(&'a [String]),
    /// The value of this SQL expression: see [`PermutationConfig::assigner`].
    Calculation(&'a str),
}

impl PermutationConfig {
    /// What must be read of each row.
    pub fn needs(&self) -> Needs<'_> {
        match &self.split {
            SplitStrategy::Hash { columns, .. } => Needs::Columns(columns),
            SplitStrategy::Calculated { calculation } => Needs::Calculation(calculation),
            _ => Needs::Rows,
        }
    }

    /// The number of splits, or `None` where a calculation decides it.
    pub fn num_splits(&self) -> Option<usize> {
        match &self.split {
            SplitStrategy::All => Some(1),
            SplitStrategy::Random { sizes, .. }
            | SplitStrategy::Sequential { sizes }
            | SplitStrategy::Bootstrap { sizes, .. } => Some(sizes.num_splits()),
            SplitStrategy::Hash { split_weights, .. } => Some(split_weights.len()),
            SplitStrategy::Calculated { .. } => self.split_names.as_ref().map(Vec::len),
        }
    }

    /// Checks everything that can be checked without the table.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`, naming the argument, its value and the rule.
    pub fn validate(&self) -> Result<()> {
        if let Some(filter) = &self.filter {
            not_blank("filter", filter, "an SQL condition")?;
        }
        match &self.split {
            SplitStrategy::All => {}
            SplitStrategy::Random { sizes, shuffle } => {
                sizes.validate()?;
                shuffle.validate()?;
            }
            SplitStrategy::Sequential { sizes } => sizes.validate()?,
            SplitStrategy::Hash { columns, split_weights, discard_weight } => {
                validate_columns(columns)?;
                HashSplit::new(split_weights, *discard_weight)?;
            }
            SplitStrategy::Calculated { calculation } => {
                not_blank("calculation", calculation, "an SQL expression that gives the number of a split")?;
            }
            SplitStrategy::Bootstrap { num_samples, sizes, .. } => {
                if *num_samples == 0 {
                    return Err(invalid("numSamples is 0; it must be at least 1"));
                }
                sizes.validate()?;
            }
        }
        if let Some(names) = &self.split_names {
            validate_names(names, self.num_splits())?;
        }
        self.shuffle.as_ref().map_or(Ok(()), ShuffleConfig::validate)
    }
}

impl ShuffleConfig {
    fn validate(&self) -> Result<()> {
        if self.clump_size == 0 {
            return Err(invalid("clumpSize is 0; it must be at least 1"));
        }
        Ok(())
    }
}

fn validate_columns(columns: &[String]) -> Result<()> {
    if columns.is_empty() {
        return Err(invalid("columns is empty; name at least one column to hash"));
    }
    let mut seen = HashSet::new();
    for (at, column) in columns.iter().enumerate() {
        if column.is_empty() || !seen.insert(column) {
            return Err(invalid(format!(
                "columns[{at}] is {column:?}; each column must be named, and once only"
            )));
        }
    }
    Ok(())
}

fn not_blank(argument: &str, value: &str, what: &str) -> Result<()> {
    if value.trim().is_empty() {
        return Err(invalid(format!("{argument} is {value:?}; it must be {what}")));
    }
    Ok(())
}
