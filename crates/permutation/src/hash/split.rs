//! From a hash to a split, by weights.

use lance_loader_order::{Error, Result};

use crate::error::invalid;
use crate::names::MAX_SPLITS;

/// Cuts the range of the hash into splits, in proportion to their weights.
#[derive(Clone, Debug)]
pub struct HashSplit {
    /// The sum of the weights up to and with each split.
    ends: Vec<u64>,
    /// The sum of all weights, the discarded part included.
    total: u64,
}

impl HashSplit {
    /// Splits in proportion to `weights`; `discard` is the weight of the rows that no split gets.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for no weights or too many, a weight of 0, or a sum above 2^64 - 1.
    pub fn new(weights: &[u64], discard: u64) -> Result<Self> {
        if weights.is_empty() || weights.len() > MAX_SPLITS {
            let given = weights.len();
            return Err(invalid(format!(
                "splitWeights has {given} weights; give between 1 and {MAX_SPLITS}, one a split"
            )));
        }
        let mut ends = Vec::with_capacity(weights.len());
        let mut sum = 0_u64;
        for (at, &weight) in weights.iter().enumerate() {
            if weight == 0 {
                return Err(invalid(format!("splitWeights[{at}] is 0; each weight must be at least 1")));
            }
            sum = sum.checked_add(weight).ok_or_else(too_heavy)?;
            ends.push(sum);
        }
        let total = sum.checked_add(discard).ok_or_else(too_heavy)?;
        Ok(Self { ends, total })
    }

    /// The number of splits.
    pub fn num_splits(&self) -> usize {
        self.ends.len()
    }

    /// The split of a row with this hash, or `None` where it is discarded.
    ///
    /// `floor(hash * total / 2^64)` falls into the range of exactly one split, or behind the last one: O(log splits).
    pub fn split_of(&self, hash: u64) -> Option<u64> {
        let (_, place) = hash.carrying_mul(self.total, 0);
        let split = self.ends.partition_point(|&end| end <= place);
        (split < self.ends.len()).then_some(split as u64)
    }
}

fn too_heavy() -> Error {
    invalid("splitWeights and discardWeight sum to more than 2^64 - 1; give smaller weights".to_owned())
}
