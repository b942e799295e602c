//! Samples of like length in one step.

use crate::{Code, Domain, Error, Key, Result, Shuffle};

/// The version of the grouping, recorded in states. Whatever changes which samples are in which step must raise it.
pub const LENGTH_GROUPS_VERSION: u32 = 1;

/// A block of consecutive levels of an epoch, as far as one consumer owns its splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthBlock {
    /// The seed and the epoch that the order of the steps depends on.
    pub seed: u64,
    /// The epoch.
    pub epoch: u64,
    /// Which block of the epoch this is.
    pub block: u64,
    /// The splits that are owned: at least one.
    pub splits: usize,
    /// The samples that each split gives to a step: at least one.
    pub levels_of_step: usize,
}

impl LengthBlock {
    /// The order in which the samples of the block are handed over, told by their index in plan order; `lengths` has one
    /// number for each.
    ///
    /// Each split sorts its own samples by length and deals them into steps, so that a step has the same samples whoever owns
    /// which split; equal lengths keep their order. Steps come in an order drawn for the block, the same for all splits. What is
    /// left for less than a step stays at the end, in plan order. O(n log n).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where there is no split, a step has no level, or the samples are more than 2^32.
    pub fn order(&self, lengths: &[u64]) -> Result<Vec<u32>> {
        let samples =
            u32::try_from(lengths.len()).ok().filter(|_| self.splits > 0 && self.levels_of_step > 0);
        let Some(samples) = samples else {
            let message = "a block of batches grouped by length needs a split, a level a step, and less than 2^32 samples";
            return Err(Error::new(Code::InvalidArgument, message));
        };
        let step = self.splits.saturating_mul(self.levels_of_step);
        let steps = lengths.len() / step;
        let grouped = steps * step;
        let sorted: Vec<Vec<u32>> =
            (0..self.splits).map(|split| self.sorted_split(lengths, split, grouped)).collect();
        let mut order = Vec::with_capacity(lengths.len());
        for group in self.order_of_steps(steps as u64)? {
            let first = group as usize * self.levels_of_step;
            for level in first..first + self.levels_of_step {
                order.extend(sorted.iter().filter_map(|split| split.get(level)));
            }
        }
        order.extend(grouped as u32..samples);
        Ok(order)
    }

    /// The samples of one split in the order of their lengths.
    fn sorted_split(&self, lengths: &[u64], split: usize, grouped: usize) -> Vec<u32> {
        let of_split = lengths.iter().zip(0_u32..).take(grouped).skip(split).step_by(self.splits);
        let mut samples: Vec<(u64, u32)> = of_split.map(|(length, index)| (*length, index)).collect();
        samples.sort_unstable();
        samples.into_iter().map(|(_, index)| index).collect()
    }

    fn order_of_steps(&self, steps: u64) -> Result<Vec<u64>> {
        if steps == 0 {
            return Ok(Vec::new());
        }
        let key = Key::derive(self.seed, self.epoch, Domain::LengthGroups).child(self.block);
        let shuffle = Shuffle::new(steps, 1, key)?;
        (0..steps).map(|step| shuffle.index_at(step)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BLOCK: LengthBlock = LengthBlock { seed: 3, epoch: 1, block: 2, splits: 4, levels_of_step: 3 };

    /// The lengths of the samples of each step.
    fn steps(block: LengthBlock, lengths: &[u64]) -> Vec<Vec<u64>> {
        let order = block.order(lengths).unwrap();
        let step = block.splits * block.levels_of_step;
        order.chunks(step).map(|step| step.iter().map(|index| lengths[*index as usize]).collect()).collect()
    }

    fn sorted<T: Ord + Clone>(values: &[T]) -> Vec<T> {
        let mut sorted = values.to_vec();
        sorted.sort();
        sorted
    }

    proptest! {
        #[test]
        fn every_sample_comes_once_and_a_rest_stays_behind(
            lengths in prop::collection::vec(0_u64..50, 0..200), seed: u64, splits in 1_usize..6, levels_of_step in 1_usize..5,
        ) {
            let block = LengthBlock { seed, splits, levels_of_step, ..BLOCK };
            let order = block.order(&lengths)?;
            let all: Vec<u32> = (0..lengths.len() as u32).collect();
            prop_assert_eq!(sorted(&order), all.clone());
            let grouped = lengths.len() - lengths.len() % (splits * levels_of_step);
            prop_assert_eq!(&order[grouped..], &all[grouped..]);
            // Each split gives as many samples to each step.
            for (at, index) in order[..grouped].iter().enumerate() {
                prop_assert_eq!(at % splits, *index as usize % splits);
            }
        }

        #[test]
        fn a_step_has_the_same_samples_whoever_owns_the_splits(
            lengths in prop::collection::vec(0_u64..50, 72), seed: u64,
        ) {
            let whole = LengthBlock { seed, ..BLOCK };
            let order = whole.order(&lengths)?;
            let half = LengthBlock { splits: 2, ..whole };
            let halves: Vec<Vec<u32>> = [0, 2].into_iter().map(|first| {
                // The plan of the rank that owns two of the four splits.
                let own: Vec<u32> = (0..72).filter(|index| (first..first + 2).contains(&(index % 4))).collect();
                let lengths: Vec<u64> = own.iter().map(|index| lengths[*index as usize]).collect();
                half.order(&lengths).unwrap().into_iter().map(|index| own[index as usize]).collect()
            }).collect();
            for step in 0..6 {
                let both = [&halves[0][step * 6..step * 6 + 6], &halves[1][step * 6..step * 6 + 6]].concat();
                prop_assert_eq!(sorted(&both), sorted(&order[step * 12..step * 12 + 12]));
            }
        }
    }

    #[test]
    fn lengths_of_a_step_are_alike_and_steps_are_mixed() {
        let lengths: Vec<u64> = (0..480).map(|index| (index * 7919) % 480).collect();
        let spread = |steps: &[Vec<u64>]| -> u64 {
            steps.iter().map(|step| step.iter().max().unwrap() - step.iter().min().unwrap()).max().unwrap()
        };
        let grouped = steps(BLOCK, &lengths);
        let plain: Vec<Vec<u64>> = lengths.chunks(12).map(<[u64]>::to_vec).collect();
        assert!(spread(&grouped) < 60 && spread(&plain) > 300, "{} {}", spread(&grouped), spread(&plain));
        let firsts: Vec<u64> = grouped.iter().map(|step| step[0]).collect();
        assert!(!firsts.is_sorted());
        assert_ne!(
            firsts,
            steps(LengthBlock { block: 3, ..BLOCK }, &lengths).iter().map(|step| step[0]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn no_split_and_no_level_are_errors() {
        assert_eq!(LengthBlock { splits: 0, ..BLOCK }.order(&[1]).unwrap_err().code(), Code::InvalidArgument);
        assert!(LengthBlock { levels_of_step: 0, ..BLOCK }.order(&[1]).is_err());
        assert_eq!(BLOCK.order(&[]).unwrap(), []);
    }
}
